//! go-yaml's order of keys: letters by themselves, digits by their number, other characters before letters.

use std::cmp::Ordering;

/// Compares like go-yaml.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    for i in 0..a.len().min(b.len()) {
        if a[i] == b[i] {
            continue;
        }
        return match (a[i].is_alphabetic(), b[i].is_alphabetic()) {
            (true, true) => a[i].cmp(&b[i]),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                // A zero after the first digit of a number is an ordinary digit.
                let inside = a[..i]
                    .iter()
                    .rev()
                    .take_while(|digit| digit.is_ascii_digit())
                    .any(|digit| *digit != '0');
                let start = u64::from(inside && (a[i] == '0' || b[i] == '0'));
                let (x, y) = (number(&a[i..], start), number(&b[i..], start));
                x.cmp(&y).then(a[i].cmp(&b[i]))
            }
        };
    }
    a.len().cmp(&b.len())
}

/// The number formed by the first digits, and their count.
fn number(text: &[char], start: u64) -> (u64, usize) {
    let digits = text.iter().map_while(|digit| digit.to_digit(10));
    digits.fold((start, 0), |(value, count), digit| {
        let value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        (value, count + 1)
    })
}
