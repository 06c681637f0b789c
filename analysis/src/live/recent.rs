//! The recent requests, so that a request that comes twice counts once.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{HashSet, VecDeque};

/// The most requests that are remembered: 1 MiB.
const MOST: usize = 1 << 17;

/// The keys of the last requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recent {
    keys: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Recent {
    /// Adds a request; `false` if it is known.
    pub(super) fn add(&mut self, key: u64) -> bool {
        if !self.keys.insert(key) {
            return false;
        }
        self.order.push_back(key);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        true
    }
}

impl Serialize for Recent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self
            .order
            .iter()
            .flat_map(|key| key.to_le_bytes())
            .collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Recent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        let (keys, []) = bytes.as_chunks::<8>() else {
            return Err(D::Error::custom("the keys of requests have a wrong length"));
        };
        let mut recent = Self::default();
        for key in keys {
            recent.add(u64::from_le_bytes(*key));
        }
        Ok(recent)
    }
}
