//! Why text is not an IP address, in the words of Go's `net/netip`.

use k8s_flowcontrol_text::go::quote;

/// The fault of a text, and the rest of the text from which on it counts; empty if the whole text has the fault.
type Fault<'a> = (&'static str, &'a str);

/// The words for text that is not an address. The zone of an address is not judged here.
pub(super) fn why(text: &str) -> String {
    let (fault, at) = match text.find(['.', ':', '%']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => v4(text).err().unwrap_or_default(),
        Some(b':') => v6(text).err().unwrap_or_default(),
        Some(_) => ("missing IPv6 address", ""),
        None => ("unable to parse IP", ""),
    };
    let place = match at.is_empty() {
        true => String::new(),
        false => format!(" (at {})", quote(at)),
    };
    format!("ParseAddr({}): {fault}{place}", quote(text))
}

fn v4(text: &str) -> Result<(), Fault<'_>> {
    let bytes = text.as_bytes();
    let (mut dots, mut digits, mut value) = (0, 0, 0u32);
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' if digits == 1 && value == 0 => {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            b'0'..=b'9' => {
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            b'.' if digits == 0 || index + 1 == bytes.len() => {
                return Err(("IPv4 field must have at least one digit", &text[index..]));
            }
            b'.' if dots == 3 => return Err(("IPv4 address too long", "")),
            b'.' => (dots, digits, value) = (dots + 1, 0, 0),
            _ => return Err(("unexpected character", &text[index..])),
        }
    }
    match dots {
        3 => Ok(()),
        _ => Err(("IPv4 address too short", "")),
    }
}

fn v6(text: &str) -> Result<(), Fault<'_>> {
    let mut rest = match text.split_once('%') {
        Some((_, "")) => return Err(("zone must be a non-empty string", "")),
        Some((address, _)) => address,
        None => text,
    };
    // Two bytes for each field.
    let mut length = 0;
    let mut has_gap = false;
    if let Some(after) = rest.strip_prefix("::") {
        (has_gap, rest) = (true, after);
        if rest.is_empty() {
            return Ok(());
        }
    }
    while length < 16 {
        let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
        let digits = rest.bytes().take_while(is_hex).count();
        let after = rest.get(digits..).unwrap_or_default();
        if digits > 4 {
            return Err(("each group must have 4 or less digits", rest));
        } else if digits == 0 {
            let fault = "each colon-separated field must have at least one digit";
            return Err((fault, rest));
        } else if after.starts_with('.') {
            if !has_gap && length != 12 {
                let fault = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err((fault, rest));
            } else if length + 4 > 16 {
                let fault = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err((fault, rest));
            }
            v4(rest)?;
            (length, rest) = (length + 4, "");
            break;
        }
        (length, rest) = (length + 2, after);
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if has_gap {
                return Err(("multiple :: in address", rest));
            }
            (has_gap, rest) = (true, after);
            if rest.is_empty() {
                break;
            }
        }
    }
    match (rest.is_empty(), length < 16, has_gap) {
        (false, ..) => Err(("trailing garbage after address", rest)),
        (_, true, false) => Err(("address string too short", "")),
        (_, false, true) => Err(("the :: must expand to at least one field of zeros", "")),
        _ => Ok(()),
    }
}
