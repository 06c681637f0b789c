//! Numbers in sentences.

/// A number with its noun in singular or plural.
pub(crate) fn count(number: impl ToString, noun: &str) -> String {
    match number.to_string().as_str() {
        "1" => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
