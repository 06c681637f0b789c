//! The rules of a level's queues, and how much of a hash shuffle sharding needs.

use super::internal::Queuing;
use super::violation::{Bad, Path, Report};

const MAX_QUEUES: i64 = 10_000_000;
const MAX_HASH_BITS: i64 = 60;

/// The rules of `queuing`.
pub(super) fn check(queuing: &Queuing, path: &Path, report: &mut Report) {
    let Queuing {
        queues,
        hand_size,
        queue_length_limit,
    } = *queuing;
    if queue_length_limit <= 0 {
        let path = path.child("queueLengthLimit");
        report.invalid(&path, &Bad::Integer(queue_length_limit), "must be positive");
    }
    let path_of_queues = path.child("queues");
    if queues <= 0 {
        report.invalid(&path_of_queues, &Bad::Integer(queues), "must be positive");
    } else if queues > MAX_QUEUES {
        let detail = format!("must not be greater than {MAX_QUEUES}");
        report.invalid(&path_of_queues, &Bad::Integer(queues), &detail);
    }
    let complaint = if hand_size <= 0 {
        "must be positive".into()
    } else if hand_size > queues {
        format!("should not be greater than queues ({queues})")
    } else if required_entropy_bits(queues, hand_size) > MAX_HASH_BITS {
        format!(
            "required entropy bits of deckSize {queues} and handSize {hand_size} should not be \
             greater than {MAX_HASH_BITS}"
        )
    } else {
        return;
    };
    report.invalid(
        &path.child("handSize"),
        &Bad::Integer(hand_size),
        &complaint,
    );
}

/// How many bits of a hash it takes to deal `hand_size` of `queues` queues.
///
/// At the limit the last bit of a floating-point logarithm decides, so it is taken apart exactly as Go
/// takes it apart.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn required_entropy_bits(queues: i64, hand_size: i64) -> i64 {
    (go_log2(queues as f64) * hand_size as f64).ceil() as i64
}

/// Go's `math.Log2` of a number of at least 1.
fn go_log2(number: f64) -> f64 {
    let mut fraction = number;
    let mut exponent = 0.0;
    while fraction >= 1.0 {
        fraction /= 2.0;
        exponent += 1.0;
    }
    #[expect(clippy::float_cmp, reason = "a power of two is exactly that")]
    if fraction == 0.5 {
        return exponent - 1.0;
    }
    fraction.ln() * (1.0 / std::f64::consts::LN_2) + exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_bits_of_known_decks() {
        assert_eq!(required_entropy_bits(64, 8), 48);
        assert_eq!(required_entropy_bits(512, 8), 72);
        assert_eq!(required_entropy_bits(128, 10), 70);
        assert_eq!(required_entropy_bits(10_000_000, 2), 47);
        assert_eq!(required_entropy_bits(2_147_483_647, 3), 93);
    }
}
