//! Points in time as Kubernetes writes them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

macro_rules! time {
    ($(#[$attribute:meta])* $name:ident, $digits:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Default, PartialEq, Eq, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// The present moment.
            pub fn now() -> Self {
                jiff::Timestamp::now().into()
            }

            /// The text as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The point in time.
            ///
            /// # Errors
            /// [`InvalidTime`] when the text is not RFC 3339.
            pub fn timestamp(&self) -> Result<jiff::Timestamp, InvalidTime> {
                self.0.parse().map_err(|_| InvalidTime(self.0.clone()))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<jiff::Timestamp> for $name {
            fn from(timestamp: jiff::Timestamp) -> Self {
                Self(format!("{timestamp:.0$}", $digits).into())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::rt::read_str(deserializer, "an RFC 3339 time", |text| Self(text.into()))
            }
        }
    };
}

time! {
    /// A point in time with the precision of a second, such as `2026-11-21T06:23:00Z`.
    ///
    /// The text is kept as it came, so that reading and writing changes nothing; [`Time::timestamp`]
    /// interprets it. Two times are equal when their texts are.
    Time, 0
}

time! {
    /// A point in time with the precision of a microsecond, such as `2026-11-21T06:23:00.000000Z`.
    ///
    /// The text is kept as it came; [`MicroTime::timestamp`] interprets it.
    MicroTime, 6
}

/// Text that is no RFC 3339 time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTime(Box<str>);

impl fmt::Display for InvalidTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no RFC 3339 time such as `2026-11-21T06:23:00Z`",
            self.0
        )
    }
}

impl std::error::Error for InvalidTime {}
