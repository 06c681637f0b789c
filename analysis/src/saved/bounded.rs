//! Lists of which a file has a bounded number of elements: a longer one would take many times the memory of its text.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// Reads a list of at most so many elements, which an error calls `what`.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    most: usize,
    what: &'static str,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Bounded(most, what, PhantomData))
}

struct Bounded<T>(usize, &'static str, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(most, what, _) = self;
        write!(f, "a list of at most {most} {what}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = list.next_element()? {
            if all.len() == self.0 {
                return Err(A::Error::invalid_length(self.0 + 1, &self));
            }
            all.push(element);
        }
        Ok(all)
    }
}
