//! The columns of dumps, the format of their cells, and the values in them.

use crate::evidence::go_duration;
use jiff::Timestamp;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) format: Format,
    /// Whether the column is missing in some releases or dumps.
    optional: bool,
}

impl Column {
    pub(super) const fn new(title: &'static str, format: Format) -> Self {
        Self {
            title,
            format,
            optional: false,
        }
    }

    /// A column that some releases or dumps do not have.
    pub(super) const fn optional(title: &'static str, format: Format) -> Self {
        Self {
            title,
            format,
            optional: true,
        }
    }

    pub(super) const fn is_in_every_release(&self) -> bool {
        !self.optional
    }
}

/// The format of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// An object's name or a resource: no comma, no space, no slash; may be empty.
    Word,
    /// A version, of a group after the name of the group and a slash: `v1`, `apps/v1`; may be empty.
    Version,
    /// Text that may contain commas and spaces.
    Text,
    /// A path: text that starts with `/`.
    Path,
    Integer,
    Boolean,
    Time,
    Duration,
    SeatSeconds,
}

/// The value of all columns but the first in a row without data.
pub(super) const NONE: &str = "<none>";

impl Format {
    pub(super) const fn can_contain_comma(self) -> bool {
        matches!(self, Self::Text | Self::Path)
    }

    /// Whether `cell` fits the format.
    pub(super) fn accepts(self, cell: &str) -> bool {
        cell == NONE
            || match self {
                Self::Word => !cell.contains([' ', '/', ',']),
                Self::Version => !cell.starts_with('/') && !cell.contains([' ', ',']),
                Self::Text => true,
                Self::Path => cell.is_empty() || cell.starts_with('/'),
                Self::Integer => cell.parse::<i64>().is_ok(),
                Self::Boolean => matches!(cell, "true" | "false"),
                Self::Time => parse_time(cell).is_some(),
                Self::Duration => go_duration(cell).is_some(),
                Self::SeatSeconds => cell.parse::<SeatSeconds>().is_ok(),
            }
    }
}

/// An amount of work: seats times seconds, with eight digits behind the point.
///
/// ```
/// use k8s_flowcontrol_analysis::dumps::SeatSeconds;
///
/// let work: SeatSeconds = "0.00900000ss".parse()?;
/// assert_eq!(work.as_f64(), 0.009);
/// assert_eq!(work.to_string(), "0.00900000ss");
/// # Ok::<(), k8s_flowcontrol_analysis::dumps::InvalidSeatSeconds>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatSeconds(u64);

impl SeatSeconds {
    const SCALE: u64 = 100_000_000;
    const DIGITS: usize = 8;

    /// The amount in units of 10⁻⁸ seat-seconds, exactly.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// The amount in seat-seconds.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::SCALE as f64
    }
}

impl fmt::Display for SeatSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:08}ss", self.0 / Self::SCALE, self.0 % Self::SCALE)
    }
}

impl FromStr for SeatSeconds {
    type Err = InvalidSeatSeconds;

    fn from_str(text: &str) -> Result<Self, InvalidSeatSeconds> {
        let parse = || {
            let (whole, part) = text.strip_suffix("ss")?.split_once('.')?;
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            if part.len() != Self::DIGITS || !digits(part) || !digits(whole) {
                return None;
            }
            let whole = whole.parse::<u64>().ok()?.checked_mul(Self::SCALE)?;
            whole.checked_add(part.parse().ok()?).map(Self)
        };
        parse().ok_or(InvalidSeatSeconds)
    }
}

/// Text that is not an amount of seat-seconds such as `0.00900000ss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSeatSeconds;

impl fmt::Display for InvalidSeatSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected seat-seconds such as 0.00900000ss")
    }
}

impl std::error::Error for InvalidSeatSeconds {}

/// A time as seconds since 1970; the inner `None` stands for Go's zero time, the year 1, which means "never".
pub(super) fn parse_time(text: &str) -> Option<Option<i64>> {
    let seconds = text.parse::<Timestamp>().ok()?.as_second();
    Some((seconds > i64::from(i32::MIN)).then_some(seconds))
}
