//! Whether two JSON texts mean the same.

use super::read_whole;
use crate::order;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};

/// How deep values are compared by value. Below, their texts must agree: each level is read again, and a hostile
/// text could be all depth.
const MAX_DEPTH: usize = 128;

/// Compares by value: field order and the spelling of numbers and strings do not count.
pub(super) fn same_value(left: &str, right: &str) -> bool {
    same_at(left, right, 0)
}

fn same_at(left: &str, right: &str, depth: usize) -> bool {
    if left == right {
        return true;
    }
    match (left.as_bytes().first(), right.as_bytes().first()) {
        _ if depth > MAX_DEPTH => false,
        (Some(b'{'), Some(b'{')) => match (fields(left), fields(right)) {
            (Some(left), Some(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(&right)
                        .all(|((name, left), (other, right))| {
                            name == other && same_at(left.get(), right.get(), depth + 1)
                        })
            }
            _ => false,
        },
        (Some(b'['), Some(b'[')) => match (elements(left), elements(right)) {
            (Some(left), Some(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(&right)
                        .all(|(left, right)| same_at(left.get(), right.get(), depth + 1))
            }
            _ => false,
        },
        (Some(b'"'), Some(b'"')) => string(left).is_some_and(|left| Some(left) == string(right)),
        (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => number(left) == number(right),
        _ => false,
    }
}

/// Hashes the value: equal values have equal hashes.
pub(super) fn hash_value<H: Hasher>(text: &str, state: &mut H) {
    hash_at(text, 0, state);
}

fn hash_at<H: Hasher>(text: &str, depth: usize, state: &mut H) {
    let first = text.as_bytes().first();
    match first {
        // Values down here are only equal inside values whose hashes are equal already.
        _ if depth > MAX_DEPTH => {}
        Some(b'{') => {
            for (name, value) in fields(text).unwrap_or_default() {
                name.hash(state);
                hash_at(value.get(), depth + 1, state);
            }
            state.write_u8(b'}');
        }
        Some(b'[') => {
            for value in elements(text).unwrap_or_default() {
                hash_at(value.get(), depth + 1, state);
            }
            state.write_u8(b']');
        }
        Some(b'"') => string(text).hash(state),
        Some(b'-' | b'0'..=b'9') => number(text).hash(state),
        _ => text.hash(state),
    }
}

fn elements(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// The fields of an object, sorted by name; of equal names the order stays.
fn fields(text: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    let mut fields = Vec::new();
    read_whole(text, |reader| {
        reader.fields(&"a JSON object", &mut |name, reader| {
            fields.push((name, reader.raw()?));
            Ok(())
        })
    })
    .ok()?;
    order::sort_by(&mut fields, |left, right| left.0.cmp(&right.0));
    Some(fields)
}

/// Sign, digits without outer zeros, and the exponent of the last digit.
fn number(text: &str) -> (bool, String, i64) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_end_matches('0');
    // An exponent beyond 64 bits saturates: such numbers compare by their digits alone.
    let exponent = exponent
        .parse::<i64>()
        .unwrap_or(if exponent.starts_with('-') {
            i64::MIN
        } else {
            i64::MAX
        });
    let exponent = exponent
        .saturating_sub(fraction.len() as i64)
        .saturating_add((digits.len() - trimmed.len()) as i64);
    let trimmed = trimmed.trim_start_matches('0').to_owned();
    if trimmed.is_empty() {
        (false, trimmed, 0)
    } else {
        (negative, trimmed, exponent)
    }
}
