//! Points in time as Kubernetes writes them.
//!
//! A time is its text; the feature `jiff` interprets it.

use crate::json::{Fault, ReadJson, Reader, WriteJson, Writer};
use crate::rt::v1::scalars;
#[cfg(feature = "jiff")]
use jiff::civil::DateTime;
#[cfg(feature = "jiff")]
use jiff::fmt::temporal::{DateTimePrinter, Pieces};
#[cfg(feature = "jiff")]
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
#[cfg(feature = "jiff")]
use std::time::SystemTime;

/// The text of a time. It allocates memory only for an unusual form.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Text {
    /// As long as `2026-11-21T06:23:00Z`.
    Seconds([u8; 20]),
    Other(Box<str>),
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            // The bytes of a string.
            Self::Seconds(bytes) => str::from_utf8(bytes).unwrap_or_default(),
            Self::Other(text) => text,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::Other(Box::default())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        match text.as_bytes().try_into() {
            Ok(bytes) => Self::Seconds(bytes),
            Err(_) => Self::Other(text.into()),
        }
    }
}

macro_rules! time {
    ($(#[$attribute:meta])* $name:ident, $digits:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Default, PartialEq, Eq, Hash)]
        pub struct $name(Text);

        impl $name {
            /// The text on the wire.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        #[cfg(feature = "jiff")]
        impl $name {
            /// The present moment.
            pub fn now() -> Self {
                Timestamp::now().into()
            }

            /// The point in time.
            ///
            /// # Errors
            /// [`InvalidTime`] when the text is not RFC 3339.
            pub fn timestamp(&self) -> Result<Timestamp, InvalidTime> {
                let text = self.as_str();
                text.parse().map_err(|_| InvalidTime(text.into()))
            }

            /// The point in time, as the standard library has it.
            ///
            /// # Errors
            /// [`InvalidTime`] when the text is not RFC 3339.
            pub fn system_time(&self) -> Result<SystemTime, InvalidTime> {
                match self.timestamp() {
                    Ok(time) => Ok(time.into()),
                    Err(error) => last_hours(self.as_str()).ok_or(error),
                }
            }
        }

        /// Drops the part of the time that is finer than the precision.
        #[cfg(feature = "jiff")]
        impl From<Timestamp> for $name {
            fn from(time: Timestamp) -> Self {
                let printer = DateTimePrinter::new().precision(Some($digits));
                Self(printer.timestamp_to_string(&time).as_str().into())
            }
        }

        /// Drops the part of the time that is finer than the precision. A time beyond the year 9999 becomes the last
        /// moment that RFC 3339 can express.
        #[cfg(feature = "jiff")]
        impl From<SystemTime> for $name {
            fn from(time: SystemTime) -> Self {
                let nearest = || match time > SystemTime::UNIX_EPOCH {
                    true => Timestamp::MAX,
                    false => Timestamp::MIN,
                };
                Timestamp::try_from(time).unwrap_or_else(|_| nearest()).into()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        scalars! { $name $name, }

        impl ReadJson for $name {
            fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
                *self = Self::from(&*reader.string(&"a string (an RFC 3339 time)")?);
                Ok(())
            }
        }

        impl WriteJson for $name {
            fn write_json(&self, writer: &mut Writer) {
                writer.string(self.as_str());
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|text| Self::from(text.as_str()))
            }
        }
    };
}

/// A time in the last hours of the year 9999, such as `9999-12-31T23:59:59Z`, which often means "never". A `Timestamp`
/// cannot express it.
#[cfg(feature = "jiff")]
fn last_hours(text: &str) -> Option<SystemTime> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = pieces.to_numeric_offset()?;
    let local = pieces.date().to_datetime(pieces.time()?);
    let since = local.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0));
    let since = since - SignedDuration::from_secs(offset.seconds().into());
    SystemTime::UNIX_EPOCH.checked_add(since.try_into().ok()?)
}

time! {
    /// A point in time with the precision of a second, such as `2026-11-21T06:23:00Z`.
    ///
    /// The text is kept, so that reading and writing does not change it; `Time::timestamp`
    /// interprets it. Two times are equal when their texts are.
    Time, 0
}

time! {
    /// A point in time with the precision of a microsecond, such as `2026-11-21T06:23:00.000000Z`.
    ///
    /// The text is kept; `MicroTime::timestamp` interprets it.
    MicroTime, 6
}

/// Text that is not an RFC 3339 time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTime(Box<str>);

impl fmt::Display for InvalidTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not an RFC 3339 time such as `2026-11-21T06:23:00Z`",
            self.0
        )
    }
}

impl std::error::Error for InvalidTime {}
