//! Dates and times of day in UTC, and their seconds since 1970.
//!
//! Own code, because a time library takes as long to build as the rest of this crate, which needs only this calendar.

use std::fmt;

/// A moment by the proleptic Gregorian calendar, which Go and RFC 3339 use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    pub year: i64,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
}

const DAY: i64 = 86_400;
/// Days of 400 years, after which the calendar begins anew.
const ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

impl DateTime {
    /// Seconds since 1970; `None` for a date or a time of day that does not exist.
    pub fn to_seconds(self) -> Option<i64> {
        let exists = (1..=12).contains(&self.month)
            && (1..=days_of_month(self.year, self.month)).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 60;
        if !exists || !(-9999..=9999).contains(&self.year) {
            return None;
        }
        // Years begin in March here, so that the leap day is a year's last.
        let month = (i64::from(self.month) + 9) % 12;
        let year = self.year - i64::from(self.month <= 2);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let days = year.div_euclid(400) * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        let of_day =
            (i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second);
        Some((days - EPOCH) * DAY + of_day)
    }

    pub fn from_seconds(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY) + EPOCH;
        let of_day = seconds.rem_euclid(DAY);
        let of_era = days.rem_euclid(ERA);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        // All parts are within their ranges.
        let part = |value: i64| u8::try_from(value).unwrap_or_default();
        Self {
            year: year + days.div_euclid(ERA) * 400 + i64::from(month <= 2),
            month: part(month),
            day: part(day),
            hour: part(of_day / 3600),
            minute: part(of_day / 60 % 60),
            second: part(of_day % 60),
        }
    }
}

/// `2026-11-21T06:23:00`, without a zone.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        } = self;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )
    }
}

fn days_of_month(year: i64, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads an RFC 3339 time: seconds since 1970 and nanoseconds. Digits behind those are dropped, and a leap
/// second is the one before it.
pub fn parse_rfc3339(text: &str) -> Option<(i64, u32)> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        let all = digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| digits.parse::<u8>().ok()).flatten()
    };
    let is = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|byte| allowed.contains(byte));
    let separated = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    if !separated {
        return None;
    }
    let local = DateTime {
        year: i64::from(number(0, 2)?) * 100 + i64::from(number(2, 4)?),
        month: number(5, 7)?,
        day: number(8, 10)?,
        hour: number(11, 13)?,
        minute: number(14, 16)?,
        second: match number(17, 19)? {
            60 => 59,
            second => second,
        },
    };
    let mut end = 19;
    let mut nanos = 0;
    if is(end, b".") {
        let digits = text.get(end + 1..)?;
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        nanos = format!("{:0<9.9}", &digits[..count]).parse().ok()?;
        end += 1 + count;
    }
    let offset = if is(end, b"Zz") && bytes.len() == end + 1 {
        0
    } else {
        let sign = match bytes.get(end)? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let (hours, minutes) = (number(end + 1, end + 3)?, number(end + 4, end + 6)?);
        if !is(end + 3, b":") || bytes.len() != end + 6 || hours > 23 || minutes > 59 {
            return None;
        }
        sign * (i64::from(hours) * 60 + i64::from(minutes)) * 60
    };
    Some((local.to_seconds()? - offset, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_has_a_number_and_every_number_a_day() {
        let first = parse_rfc3339("0000-01-01T00:00:00Z").unwrap().0;
        let last = parse_rfc3339("9999-12-31T00:00:00Z").unwrap().0;
        let mut before = DateTime::from_seconds(first - DAY);
        for seconds in (first..=last).step_by(86_400) {
            let day = DateTime::from_seconds(seconds);
            assert_eq!(day.to_seconds(), Some(seconds));
            let next_of_month = day.month == before.month && day.day == before.day + 1;
            let first_of_next = day.day == 1
                && before.day == days_of_month(before.year, before.month)
                && (day.year * 12 + i64::from(day.month)
                    == before.year * 12 + i64::from(before.month) + 1);
            assert!(next_of_month || first_of_next, "{before} and {day}");
            before = day;
        }
        assert_eq!(DateTime::from_seconds(0).to_string(), "1970-01-01T00:00:00");
    }

    #[test]
    fn rfc_3339_is_read() {
        let read = |text| parse_rfc3339(text);
        assert_eq!(read("1970-01-01T00:00:00Z"), Some((0, 0)));
        assert_eq!(
            read("2026-11-21T06:23:00.0000015Z"),
            Some((1_795_242_180, 1500))
        );
        assert_eq!(read("1970-01-01t01:00:00+01:00"), Some((0, 0)));
        assert_eq!(read("1969-12-31T23:30:00-00:30"), Some((0, 0)));
        assert_eq!(read("0001-01-01T00:00:00Z"), Some((-62_135_596_800, 0)));
        assert_eq!(read("2016-12-31T23:59:60Z"), read("2016-12-31T23:59:59Z"));
        for text in [
            "",
            "2026-11-21",
            "2026-11-21T06:23:00",
            "2026-11-21T06:23:00.Z",
            "2026-02-29T06:23:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T06:23:00+0100",
            "2026-11-21T06:23:00Zx",
            "2026-1-21T06:23:00Z",
            "+026-11-21T06:23:00Z",
            "yesterday, at a quarter past",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
