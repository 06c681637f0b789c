//! Go's string functions that the server's error messages depend on.

/// Quotes as Go's `%q` does.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        push_escaped(character, '"', &mut out);
    }
    out.push('"');
    out
}

/// Parses a decimal number as Go's `strconv.ParseUint` does, which accepts digits alone.
///
/// ```
/// use k8s_flowcontrol_text::go::parse_uint;
///
/// assert_eq!(parse_uint("007"), Ok(7));
/// assert_eq!(parse_uint("+7").unwrap_err(), "strconv.ParseUint: parsing \"+7\": invalid syntax");
/// ```
///
/// # Errors
/// Go's message for a text that is not such a number or does not fit into 64 bits. What follows the digits that do not
/// fit is not looked at.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    let (number, rest) = digits(text);
    let why = match number.parse() {
        Ok(number) if rest.is_empty() => return Ok(number),
        Err(_) if !number.is_empty() => "value out of range",
        _ => "invalid syntax",
    };
    Err(format!("strconv.ParseUint: parsing {}: {why}", quote(text)))
}

/// Parses a duration such as `1m30s` as Go's `time.ParseDuration` does, into nanoseconds.
///
/// ```
/// use k8s_flowcontrol_text::go::parse_duration;
///
/// assert_eq!(parse_duration("1.5s"), Ok(1_500_000_000));
/// assert_eq!(parse_duration("10").unwrap_err(), "time: missing unit in duration \"10\"");
/// ```
///
/// # Errors
/// Go's message for a text that is not a duration or does not fit into 64 bits.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", time_quote(text));
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        let whole: u64 = match (whole, fraction) {
            ("", "") => return Err(invalid()),
            ("", _) => 0,
            (whole, _) => whole.parse().map_err(|_| invalid())?,
        };
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter == '.');
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        let unit: u64 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "" => {
                return Err(format!(
                    "time: missing unit in duration {}",
                    time_quote(text)
                ));
            }
            unit => {
                let (unit, text) = (time_quote(unit), time_quote(text));
                return Err(format!("time: unknown unit {unit} in duration {text}"));
            }
        };
        let part = whole.checked_mul(unit);
        let part = part.and_then(|part| part.checked_add(part_of(fraction, unit)));
        let longer = part.and_then(|part| sum.checked_add(part));
        sum = longer.filter(|sum| *sum <= LEAST).ok_or_else(invalid)?;
        rest = after;
    }
    let nanoseconds = match is_negative {
        true => 0i64.checked_sub_unsigned(sum),
        false => i64::try_from(sum).ok(),
    };
    nanoseconds.ok_or_else(invalid)
}

/// The nanoseconds of the least duration without its sign.
const LEAST: u64 = 1 << 63;

/// The digits at the start, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// A fraction of a unit, computed with a float as in Go. Digits beyond 63 bits do not count.
fn part_of(fraction: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0u64, 1.0);
    for byte in fraction.bytes() {
        if number > (LEAST - 1) / 10 {
            break;
        }
        let more = number * 10 + u64::from(byte - b'0');
        if more > LEAST {
            break;
        }
        (number, scale) = (more, scale * 10.0);
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

/// Quotes a text as Go's package `time` does in its messages: control characters, and all that is not ASCII, as bytes.
///
/// ```
/// assert_eq!(k8s_flowcontrol_text::go::time_quote("5µs \"\n"), r#""5\xc2\xb5s \"\x0a""#);
/// ```
pub fn time_quote(text: &str) -> String {
    let mut out = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

/// Quotes a byte, interpreted as Latin-1, as Go's JSON scanner does in its messages.
pub fn quote_byte(byte: u8) -> String {
    let mut out = String::from("'");
    push_escaped(char::from(byte), '\'', &mut out);
    out.push('\'');
    out
}

fn push_escaped(character: char, delimiter: char, out: &mut String) {
    match character {
        '\\' => out.push_str("\\\\"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{b}' => out.push_str("\\v"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ if character == delimiter => {
            out.push('\\');
            out.push(character);
        }
        _ if is_printable(character) => out.push(character),
        '\0'..' ' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
        '\0'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        _ => out.push_str(&format!("\\U{:08x}", u32::from(character))),
    }
}

/// Whether Go's `strconv.IsPrint` is true: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub fn is_printable(character: char) -> bool {
    // Rust's `escape_debug` uses the same table, except for a mark at the start of a text and the characters with named
    // escapes.
    match character {
        ' '..='~' => true,
        _ => {
            let padded = format!("a{character}");
            padded.escape_debug().to_string() == padded
        }
    }
}

/// Formats a float with `%v`: scientific notation for exponents below -4 and above 5.
pub fn float(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => shortest(&format!("{value:e}"), value.to_string()),
    }
}

/// The format of a float that `%g` chooses.
pub(crate) fn shortest(scientific: &str, plain: String) -> String {
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return plain;
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ ..-4) => format!("{digits}e-{:02}", -exponent),
        Ok(exponent @ 6..) => format!("{digits}e+{exponent:02}"),
        _ => plain,
    }
}

/// Formats a float as the JSON encoder does; `None` for infinities and NaN.
pub fn json_float(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return Some(value.to_string());
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e')?;
    // The encoder removes a leading zero from negative exponents only.
    Some(match exponent.parse::<i32>().ok()? {
        exponent @ ..=-1 => format!("{digits}e-{}", -exponent),
        exponent => format!("{digits}e+{exponent:02}"),
    })
}

/// Quotes as Go's JSON encoder does, with `<`, `>` and `&` escaped.
pub fn json_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Appends the first character of `bytes` and returns its length in bytes. An invalid byte becomes U+FFFD and has
/// length 1.
pub(crate) fn push_character(bytes: &[u8], out: &mut String) -> usize {
    let longest = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(longest) {
        Ok(text) => text,
        // `valid_up_to` ends a valid prefix, so this cannot fail.
        Err(error) => std::str::from_utf8(&longest[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(character) => {
            out.push(character);
            character.len_utf8()
        }
        None => {
            out.push(char::REPLACEMENT_CHARACTER);
            1
        }
    }
}

/// The text of bytes as Go decodes them: every byte that is not UTF-8 becomes U+FFFD.
pub fn lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let taken = push_character(rest, &mut out);
        rest = &rest[taken..];
    }
    out
}
