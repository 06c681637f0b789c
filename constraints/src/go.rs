//! Go's text for values, and Go's regular expressions.

use k8s_flowcontrol_text::go::{float, json_float, json_quote, quote};
use serde_json::{Number, Value};

/// A value as the server prints it behind `Invalid value: `.
pub(crate) fn bad_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Number(number) => self::number(number),
        value => json(value),
    }
}

/// A value as Go's JSON encoder writes it, with sorted keys.
pub(crate) fn json(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => match integer(number) {
            Some(integer) => integer.to_string(),
            None => json_float(number.as_f64().unwrap_or_default()).unwrap_or_default(),
        },
        Value::String(text) => json_quote(text),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(json).collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let fields = names.into_iter().map(|name| {
                let value = fields.get(name).map(json).unwrap_or_default();
                format!("{}:{value}", json_quote(name))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
    }
}

/// A number as Go's `%v` prints an `int64` or a `float64`.
pub(crate) fn number(number: &Number) -> String {
    match integer(number) {
        Some(integer) => integer.to_string(),
        None => float(number.as_f64().unwrap_or_default()),
    }
}

/// The `int64` that Go reads from a number; every other number is a `float64`.
pub(crate) fn integer(number: &Number) -> Option<i64> {
    number.as_i64()
}

/// A float as Go converts it to an `int64` on most processors: everything that does not fit is the least integer.
pub(crate) fn truncated(value: f64) -> i64 {
    const FITS: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
    match FITS.contains(&value) {
        true => value as i64,
        false => i64::MIN,
    }
}

/// A regular expression of Go's as one of the `regex` crate: its classes are those of ASCII, and a bracket in a class is literal.
pub(crate) fn pattern(go: &str) -> String {
    let mut rust = String::with_capacity(go.len());
    let mut letters = go.chars().peekable();
    let (mut in_class, mut in_name) = (false, false);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('d') => rust.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('D') => rust.push_str("[^0-9]"),
                Some('w') => rust.push_str(if in_class {
                    "0-9A-Za-z_"
                } else {
                    "[0-9A-Za-z_]"
                }),
                Some('W') => rust.push_str("[^0-9A-Za-z_]"),
                Some('s') => rust.push_str(if in_class {
                    r"\t\n\f\r "
                } else {
                    r"[\t\n\f\r ]"
                }),
                Some('S') => rust.push_str(r"[^\t\n\f\r ]"),
                Some('b') if !in_class => rust.push_str(r"(?-u:\b)"),
                // Where Go has a class of one letter, which any escaped punctuation is.
                Some(other) => rust.extend(['\\', other]),
                None => rust.push('\\'),
            },
            '[' if in_class && letters.peek() == Some(&':') => {
                in_name = true;
                rust.push('[');
            }
            '[' if in_class => rust.push_str(r"\["),
            '[' => {
                in_class = true;
                rust.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    rust.push('^');
                }
                // The first bracket of a class is literal.
                if letters.next_if_eq(&']').is_some() {
                    rust.push_str(r"\]");
                }
            }
            ']' => {
                // The end of `[:alpha:]` is not that of the class around it.
                in_class = in_name;
                in_name = false;
                rust.push(']');
            }
            '&' | '~' if in_class => rust.extend(['\\', letter]),
            other => rust.push(other),
        }
    }
    rust
}
