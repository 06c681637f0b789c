//! The rules of a level's queues and of the entropy of shuffle sharding.

use super::internal::Queuing;
use super::violation::{Path, Report};
use crate::sharding::{MAX_ENTROPY_BITS, entropy_bits};

const MAX_QUEUES: i64 = 10_000_000;

/// Checks `queuing`.
pub(super) fn check(queuing: &Queuing, path: &Path, report: &mut Report) {
    let Queuing {
        queues,
        hand_size,
        queue_length_limit,
    } = *queuing;
    if queue_length_limit <= 0 {
        let path = path.child("queueLengthLimit");
        report.invalid_number(&path, queue_length_limit, "must be positive");
    }
    let path_of_queues = path.child("queues");
    if queues <= 0 {
        report.invalid_number(&path_of_queues, queues, "must be positive");
    } else if queues > MAX_QUEUES {
        let detail = format!("must not be greater than {MAX_QUEUES}");
        report.invalid_number(&path_of_queues, queues, &detail);
    }
    let message = if hand_size <= 0 {
        "must be positive".into()
    } else if hand_size > queues {
        format!("should not be greater than queues ({queues})")
    } else if required_entropy_bits(queues, hand_size) > MAX_ENTROPY_BITS {
        format!(
            "required entropy bits of deckSize {queues} and handSize {hand_size} should not be \
             greater than {MAX_ENTROPY_BITS}"
        )
    } else {
        return;
    };
    report.invalid_number(&path.child("handSize"), hand_size, &message);
}

/// [`entropy_bits`] for positive 32-bit numbers.
fn required_entropy_bits(queues: i64, hand_size: i64) -> u32 {
    let number = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
    entropy_bits(number(queues), number(hand_size))
}
