//! The plain scalars that YAML 1.1 does not read as strings.

const WORDS: &[&str] = &[
    "", "<<", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE",
    "on", "On", "ON", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF",
    ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf",
    "-.INF",
];

/// Whether `text` is a string without quotes.
pub(super) fn is_text(text: &str) -> bool {
    if WORDS.contains(&text) {
        return false;
    }
    match text.as_bytes().first() {
        Some(b'.') => text.parse::<f64>().is_err(),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let plain = text.replace('_', "");
            !(is_integer(&plain) || is_float(&plain) || is_time(text) || is_sexagesimal(text))
        }
        _ => true,
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_digits(text: &str, base: u32) -> bool {
    !text.is_empty() && text.chars().all(|digit| digit.is_digit(base))
}

fn is_integer(text: &str) -> bool {
    let text = unsigned(text);
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => is_digits(&text[2..], 16),
        Some("0b") => is_digits(&text[2..], 2),
        Some("0o") => is_digits(&text[2..], 8),
        _ => is_digits(text, 10),
    }
}

fn is_float(text: &str) -> bool {
    let text = unsigned(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.is_empty() || is_digits(text, 10);
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| is_digits(unsigned(exponent), 10))
}

/// A date, or a date with a time.
fn is_time(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let numbers = |text: &str, separator: char, lengths: &[std::ops::RangeInclusive<usize>]| {
        let parts: Vec<_> = text.split(separator).collect();
        parts.len() == lengths.len()
            && parts
                .iter()
                .zip(lengths)
                .all(|(part, length)| is_digits(part, 10) && length.contains(&part.len()))
    };
    let is_clock = |time: &str| {
        let clock = match time.find(['Z', '+', '-']) {
            Some(at) => &time[..at],
            None => time,
        };
        let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
        numbers(clock, ':', &[1..=2, 1..=2, 1..=2])
    };
    numbers(date, '-', &[4..=4, 1..=2, 1..=2]) && time.is_none_or(is_clock)
}

/// A sexagesimal number such as `1:30`, which YAML 1.1 knows.
fn is_sexagesimal(text: &str) -> bool {
    let (places, _fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut places = unsigned(places).split(':');
    let first = places.next().unwrap_or_default().replace('_', "");
    let mut count = 0;
    is_digits(&first, 10)
        && places.all(|place| {
            count += 1;
            is_digits(place, 10)
                && (place.len() == 1 || place.len() == 2 && place.as_bytes()[0] <= b'5')
        })
        && count > 0
}
