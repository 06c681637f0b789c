//! Go's formats for floats.

/// The format of Go's JSON encoder; `None` for infinities and NaN.
pub(super) fn json_float(value: f64) -> Option<String> {
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

/// The format of a JSON field name: the digits of a 32-bit float.
#[expect(clippy::cast_possible_truncation, reason = "as Go does")]
pub(super) fn key_float(number: f64) -> String {
    let number = number as f32;
    if number.is_nan() {
        ".nan".into()
    } else if number.is_infinite() {
        if number > 0.0 {
            ".inf".into()
        } else {
            "-.inf".into()
        }
    } else {
        shortest(&format!("{number:e}"), number.to_string())
    }
}

/// The format in an error message.
pub(super) fn printed_float(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 {
            "+Inf".into()
        } else {
            "-Inf".into()
        }
    } else {
        shortest(&format!("{number:e}"), number.to_string())
    }
}

/// Go's `%g`: scientific notation for exponents below -4 and above 5.
fn shortest(scientific: &str, plain: String) -> String {
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return plain;
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ ..-4) => format!("{digits}e-{:02}", -exponent),
        Ok(exponent @ 6..) => format!("{digits}e+{exponent:02}"),
        _ => plain,
    }
}
