//! Points in time as Kubernetes writes them.

use crate::civil::{DateTime, parse_rfc3339};
use crate::json::{Fault, ReadJson, Reader, WriteJson, Writer};
use crate::rt::Field;
use crate::schema::Shape;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime};

macro_rules! time {
    ($(#[$attribute:meta])* $name:ident, $digits:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Default, PartialEq, Eq, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// The present moment.
            pub fn now() -> Self {
                SystemTime::now().into()
            }

            /// The text as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The point in time.
            ///
            /// # Errors
            /// [`InvalidTime`] when the text is not RFC 3339.
            pub fn system_time(&self) -> Result<SystemTime, InvalidTime> {
                parse_rfc3339(&self.0)
                    .and_then(|(seconds, nanos)| system_time(seconds, nanos))
                    .ok_or_else(|| InvalidTime(self.0.clone()))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        /// Drops the part of the time that is finer than the precision.
        impl From<SystemTime> for $name {
            fn from(time: SystemTime) -> Self {
                Self(to_text(time, $digits).into())
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

        impl Field for $name {
            const SHAPE: Shape = Shape::$name;
        }

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
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|text| Self(text.into()))
            }
        }
    };
}

time! {
    /// A point in time with the precision of a second, such as `2026-11-21T06:23:00Z`.
    ///
    /// The text is kept as it came, so that reading and writing changes nothing; [`Time::system_time`]
    /// interprets it. Two times are equal when their texts are.
    Time, 0
}

time! {
    /// A point in time with the precision of a microsecond, such as `2026-11-21T06:23:00.000000Z`.
    ///
    /// The text is kept as it came; [`MicroTime::system_time`] interprets it.
    MicroTime, 6
}

fn system_time(seconds: i64, nanos: u32) -> Option<SystemTime> {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let whole = match seconds {
        0.. => SystemTime::UNIX_EPOCH.checked_add(whole),
        _ => SystemTime::UNIX_EPOCH.checked_sub(whole),
    };
    whole?.checked_add(Duration::from_nanos(nanos.into()))
}

/// The time in RFC 3339, with that many digits of its fraction.
fn to_text(time: SystemTime, digits: usize) -> String {
    let (seconds, nanos) = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => (signed(after.as_secs()), after.subsec_nanos()),
        Err(before) => match before.duration() {
            before if before.subsec_nanos() == 0 => (-signed(before.as_secs()), 0),
            before => (
                -signed(before.as_secs()) - 1,
                1_000_000_000 - before.subsec_nanos(),
            ),
        },
    };
    let fraction = match digits {
        0 => String::new(),
        digits => format!(".{}", &format!("{nanos:09}")[..digits]),
    };
    format!("{}{fraction}Z", DateTime::from_seconds(seconds))
}

/// Seconds that a `SystemTime` holds fit, and more would be beyond every calendar.
fn signed(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX / 2)
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

#[cfg(test)]
mod tests {
    use super::{MicroTime, Time};
    use std::time::{Duration, SystemTime};

    #[test]
    fn moments_come_back() {
        let epoch = SystemTime::UNIX_EPOCH;
        let time = epoch + Duration::new(1_795_242_180, 123_456_789);
        assert_eq!(Time::from(time).as_str(), "2026-11-21T06:23:00Z");
        let micro = MicroTime::from(time);
        assert_eq!(micro.as_str(), "2026-11-21T06:23:00.123456Z");
        assert_eq!(
            micro.system_time(),
            Ok(epoch + Duration::new(1_795_242_180, 123_456_000))
        );
        let before = epoch - Duration::from_millis(1500);
        let before = MicroTime::from(before);
        assert_eq!(before.as_str(), "1969-12-31T23:59:58.500000Z");
        assert_eq!(
            before.system_time(),
            Ok(epoch - Duration::from_millis(1500))
        );
        assert!(Time::from("soon").system_time().is_err());
    }
}
