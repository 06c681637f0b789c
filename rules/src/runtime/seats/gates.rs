//! The feature gates that change estimates.

use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::{Fact, Release};
use std::fmt;
use std::str::FromStr;

named! {
    /// A feature gate of kube-apiserver that changes estimates.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FeatureGate {
        /// Lists without a resource version are served from the watch cache; since 1.28, on by default since 1.31.
        ConsistentListFromCache = "ConsistentListFromCache",
        /// Lists are measured in bytes and not in objects; since 1.34, on by default.
        SizeBasedListCostEstimate = "SizeBasedListCostEstimate",
        /// Watches with initial events count as lists; since 1.28, on by default in 1.32 and since 1.34.
        WatchList = "WatchList",
    }
    /// The name on the command line of a server.
    pub fn as_str;
    /// All gates, sorted by name.
    pub const ALL;
}

impl FeatureGate {
    /// Whether a server of the release lets the gate be changed. With a gate that is locked or that it does not know, a server does not start.
    pub const fn can_change_in(self, release: Release) -> bool {
        release.has(match self {
            Self::ConsistentListFromCache => Fact::ConsistentListFromCacheGate,
            Self::SizeBasedListCostEstimate => Fact::SizeBasedListCostEstimateGate,
            Self::WatchList => Fact::WatchListGate,
        })
    }

    /// Whether the gate is on by default; `None` if it does not change estimates of this release.
    pub const fn default_in(self, release: Release) -> Option<bool> {
        let (is_known, is_on) = match self {
            Self::ConsistentListFromCache => {
                (Fact::ListGates, release.has(Fact::ConsistentListFromCache))
            }
            Self::SizeBasedListCostEstimate => (Fact::SizeBasedListCostEstimate, true),
            Self::WatchList => {
                let is_on = release.has(Fact::WatchListTrial) || release.has(Fact::WatchList);
                (Fact::ListGates, is_on)
            }
        };
        match release.has(is_known) {
            true => Some(is_on),
            false => None,
        }
    }
}

impl FromStr for FeatureGate {
    type Err = UnknownFeatureGate;

    fn from_str(name: &str) -> Result<Self, UnknownFeatureGate> {
        Self::ALL
            .iter()
            .copied()
            .find(|gate| gate.as_str() == name)
            .ok_or_else(|| UnknownFeatureGate(name.into()))
    }
}

/// The name of a feature gate that does not change estimates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFeatureGate(Box<str>);

impl fmt::Display for UnknownFeatureGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the feature gate `{}` does not change the seats of requests; the feature gates that do are {}, {} and {}",
            self.0,
            FeatureGate::ALL[0],
            FeatureGate::ALL[1],
            FeatureGate::ALL[2]
        )
    }
}

impl std::error::Error for UnknownFeatureGate {}
