//! The values in cells.

use jiff::Timestamp;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

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

/// A duration as Go writes it: `0s`, `5ms`, `1m30.5s`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 7] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    let mut rest = text;
    let mut sum = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let (_, nanos) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        // Nine digits are all that a duration has; the fraction of a nanosecond is dropped.
        let part = format!("{:0<9.9}", part).parse::<u64>().ok()?;
        let whole = whole.parse::<u64>().ok()?.checked_mul(nanos)?;
        let part = u128::from(part) * u128::from(nanos) / 1_000_000_000;
        let nanos = whole.checked_add(u64::try_from(part).ok()?)?;
        sum = sum.checked_add(Duration::from_nanos(nanos))?;
        rest = tail;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        assert_eq!(parse_duration("0s"), Some(Duration::ZERO));
        assert_eq!(parse_duration("5ms"), Some(Duration::from_millis(5)));
        assert_eq!(
            parse_duration("1m30.5s"),
            Some(Duration::from_millis(90_500))
        );
        assert_eq!(parse_duration("1.5µs"), Some(Duration::from_nanos(1500)));
        for text in [
            "",
            "5",
            "s",
            ".s",
            "5 s",
            "1.2.3s",
            "99999999999999999999h",
            "5x",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn times_may_be_never() {
        assert_eq!(parse_time("0001-01-01T00:00:00Z"), Some(None));
        assert!(
            parse_time("2026-11-20T15:57:05.399662206Z")
                .flatten()
                .is_some()
        );
        assert_eq!(parse_time("yesterday"), None);
    }

    #[test]
    fn seat_seconds_do_not_overflow() {
        assert!("184467440737.09551615ss".parse::<SeatSeconds>().is_ok());
        for text in [
            "184467440737.09551616ss",
            "1.0ss",
            "0.00000000s",
            "+1.00000000ss",
            ".00000000ss",
        ] {
            assert!(text.parse::<SeatSeconds>().is_err(), "{text}");
        }
    }
}
