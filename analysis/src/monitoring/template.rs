//! The texts of alerts with their values, as Prometheus writes them.

use super::promql::Labels;

/// A text with the labels and the value of an alert. Of templates, only the forms of these alerts are known: labels, the value, its three
/// formats, and conditions on a label.
pub(super) fn expanded(template: &str, labels: &Labels, value: f64) -> String {
    let mut text = String::new();
    let mut rest = template;
    // Whether the present branch is the one that holds, and whether one of its condition was.
    let (mut is_written, mut was_written) = (true, true);
    while let Some((before, after)) = rest.split_once("{{") {
        if is_written {
            text += before;
        }
        let Some((action, after)) = after.split_once("}}") else {
            break;
        };
        rest = after;
        let words: Vec<&str> = action.split_whitespace().collect();
        match words[..] {
            ["if", "eq", label, value] => {
                is_written = is_equal(labels, label, value);
                was_written = is_written;
            }
            ["else", "if", "eq", label, value] => {
                is_written = !was_written && is_equal(labels, label, value);
                was_written |= is_written;
            }
            ["else"] => is_written = !was_written,
            ["end"] => (is_written, was_written) = (true, true),
            _ if !is_written => {}
            ["$value"] => text += &value.to_string(),
            ["$value", "|", format] => text += &formatted(value, format),
            [label] => text += of_label(labels, label),
            _ => {}
        }
    }
    match is_written {
        true => text + rest,
        false => text,
    }
}

fn of_label<'a>(labels: &'a Labels, expression: &str) -> &'a str {
    let name = expression.strip_prefix("$labels.").unwrap_or_default();
    labels.get(name).map_or("", String::as_str)
}

fn is_equal(labels: &Labels, label: &str, value: &str) -> bool {
    of_label(labels, label) == value.trim_matches('"')
}

fn formatted(value: f64, format: &str) -> String {
    match format {
        "humanizePercentage" => format!("{}%", significant(value * 100.0)),
        "humanizeDuration" => duration(value),
        _ => humanized(value),
    }
}

/// With the prefixes of large and small units.
fn humanized(value: f64) -> String {
    let (mut value, mut prefix) = (value, "");
    if value.abs() >= 1.0 {
        for next in ["k", "M", "G", "T"] {
            if value.abs() < 1000.0 {
                break;
            }
            (value, prefix) = (value / 1000.0, next);
        }
    } else if value != 0.0 {
        for next in ["m", "u", "n"] {
            if value.abs() >= 1.0 {
                break;
            }
            (value, prefix) = (value * 1000.0, next);
        }
    }
    format!("{}{prefix}", significant(value))
}

/// A time of at least a second.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 60.0 => {
            format!(
                "{}m {}s",
                (seconds / 60.0).trunc(),
                (seconds % 60.0).trunc()
            )
        }
        seconds => format!("{}s", significant(seconds)),
    }
}

/// Four significant digits.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let text = format!("{value:.*}", usize::try_from(digits).unwrap_or_default());
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
