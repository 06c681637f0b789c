//! Times as Go reads them. The reader is our own, because servers show the messages of Go's `time.Parse`.

use super::civil::Civil;
use k8s_flowcontrol_text::go::time_quote;
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// `Time`: a fraction may be there and is dropped.
    Seconds,
    /// `MicroTime`: a fraction of six digits must be there.
    Micros,
}

impl Precision {
    fn layout(self) -> &'static str {
        match self {
            Self::Seconds => "2006-01-02T15:04:05Z07:00",
            Self::Micros => "2006-01-02T15:04:05.000000Z07:00",
        }
    }
}

/// Reads an RFC 3339 time with the leniency and the messages of Go's `time.Parse`.
///
/// Returns the time as a server writes it back: in UTC, with the digits that its precision has; `None` for Go's zero
/// time.
pub(super) fn parse(text: &str, precision: Precision) -> Result<Option<String>, String> {
    let mut reader = Reader {
        precision,
        whole: text,
        rest: text,
    };
    let year = reader.year()?;
    reader.skip("-")?;
    let month = reader.number("01", true, 1..=12, "month")?;
    reader.skip("-")?;
    let day = reader.number("02", true, 0..=99, "day")?;
    reader.skip("T")?;
    let hour = reader.number("15", false, 0..=23, "hour")?;
    reader.skip(":")?;
    let minute = reader.number("04", true, 0..=59, "minute")?;
    reader.skip(":")?;
    let second = reader.number("05", true, 0..=59, "second")?;
    let micros = match precision {
        Precision::Seconds => {
            reader.fraction();
            None
        }
        Precision::Micros => Some(reader.micros()?),
    };
    let offset = reader.zone()?;
    if !reader.rest.is_empty() {
        return Err(reader.failed(&format!(": extra text: {}", time_quote(reader.rest))));
    }
    // The other parts are in their ranges.
    let local = Civil::new([year, month, day], [hour, minute, second])
        .ok_or_else(|| reader.failed(": day out of range"))?;
    Ok(utc(local, offset, micros))
}

/// The text of the time in UTC; `None` for Go's zero time, and for times that RFC 3339 cannot express.
fn utc(local: Civil, offset: i32, micros: Option<&str>) -> Option<String> {
    let time = local.minus_minutes(offset);
    let is_zero = Some(time) == Civil::new([1, 1, 1], [0, 0, 0])
        && micros.is_none_or(|micros| micros == "000000");
    if is_zero || !(0..=9999).contains(&time.year) {
        return None;
    }
    Some(match micros {
        Some(micros) => format!("{time}.{micros}Z"),
        None => format!("{time}Z"),
    })
}

struct Reader<'a> {
    precision: Precision,
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn year(&mut self) -> Result<i32, String> {
        let digits = self
            .rest
            .get(..4)
            .filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let year = digits
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| self.bad("2006"))?;
        self.rest = &self.rest[4..];
        Ok(year)
    }

    fn skip(&mut self, separator: &str) -> Result<(), String> {
        self.rest = self
            .rest
            .strip_prefix(separator)
            .ok_or_else(|| self.bad(separator))?;
        Ok(())
    }

    /// Reads a number of two digits; of one when `fixed` is not asked for.
    fn number(
        &mut self,
        element: &str,
        fixed: bool,
        range: RangeInclusive<i32>,
        name: &str,
    ) -> Result<i32, String> {
        let digits = self
            .rest
            .bytes()
            .take(2)
            .take_while(u8::is_ascii_digit)
            .count();
        if digits == 0 || (digits == 1 && fixed) {
            return Err(self.bad(element));
        }
        // Two digits fit.
        let number = self.rest[..digits].parse().unwrap_or_default();
        self.rest = &self.rest[digits..];
        if !range.contains(&number) {
            return Err(self.failed(&format!(": {name} out of range")));
        }
        Ok(number)
    }

    fn fraction(&mut self) {
        let Some(fraction) = self.rest.strip_prefix(['.', ',']) else {
            return;
        };
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            self.rest = &fraction[digits..];
        }
    }

    fn micros(&mut self) -> Result<&'a str, String> {
        const DIGITS: usize = 6;
        let fraction = self.rest.strip_prefix(['.', ',']);
        let digits = fraction.and_then(|fraction| fraction.get(..DIGITS));
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let digits = digits.ok_or_else(|| self.bad(".000000"))?;
        self.rest = &self.rest[1 + DIGITS..];
        Ok(digits)
    }

    /// Reads the offset from UTC, in minutes.
    fn zone(&mut self) -> Result<i32, String> {
        const ELEMENT: &str = "Z07:00";
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let zone = self.rest.get(..6).ok_or_else(|| self.bad(ELEMENT))?;
        let number = |range| {
            zone.get(range)
                .and_then(two_digits)
                .ok_or_else(|| self.bad(ELEMENT))
        };
        let sign = match zone.as_bytes()[0] {
            b'+' => 1,
            b'-' => -1,
            _ => return Err(self.bad(ELEMENT)),
        };
        if zone.as_bytes()[3] != b':' {
            return Err(self.bad(ELEMENT));
        }
        let (hours, minutes) = (number(1..3)?, number(4..6)?);
        self.rest = &self.rest[6..];
        match (hours, minutes) {
            (25.., _) => Err(self.failed(": time zone offset hour out of range")),
            (_, 61..) => Err(self.failed(": time zone offset minute out of range")),
            _ => Ok(sign * (hours * 60 + minutes)),
        }
    }

    fn bad(&self, element: &str) -> String {
        let (whole, rest) = (time_quote(self.whole), time_quote(self.rest));
        let layout = self.precision.layout();
        format!("parsing time {whole} as {layout:?}: cannot parse {rest} as {element:?}")
    }

    fn failed(&self, message: &str) -> String {
        format!("parsing time {}{message}", time_quote(self.whole))
    }
}

fn two_digits(text: &str) -> Option<i32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}
