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
/// Go's message for a text that is not such a number, or for one that does not fit into 64 bits.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let why = match (is_number, text.parse()) {
        (true, Ok(number)) => return Ok(number),
        (true, Err(_)) => "value out of range",
        (false, _) => "invalid syntax",
    };
    Err(format!("strconv.ParseUint: parsing {}: {why}", quote(text)))
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
