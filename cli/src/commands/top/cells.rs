//! The numbers of a level as text.

use super::reading::Level;

/// A number, or a hyphen if no server reports it.
pub(super) fn number(value: Option<i64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A number of requests in a second.
pub(super) fn rate(rate: Option<f64>) -> String {
    rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"))
}

/// The limit of a level.
pub(super) fn limit(level: &Level) -> String {
    match level.is_exempt() {
        true => "none".to_owned(),
        false => number(level.seats),
    }
}

/// The seats that a level has borrowed, or lends.
pub(super) fn borrowed(level: &Level) -> String {
    match level.borrowed() {
        Some(seats @ 1..) => format!("+{seats}"),
        seats => number(seats),
    }
}
