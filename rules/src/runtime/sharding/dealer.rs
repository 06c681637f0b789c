//! Deals hands of queues to flows.

use hmac_sha256::Hash;
use std::fmt;

/// Maximum number of queues that hands can be dealt from.
///
/// Validation is stricter: a priority level may have 10,000,000.
pub const MAX_QUEUES: u32 = 1 << 26;

/// Maximum number of bits of a flow's hash that a hand may use.
pub const MAX_ENTROPY_BITS: u32 = 60;

/// The number of hash bits used to deal `hand_size` of `queues` queues, rounded up.
///
/// `handSize` × log₂ `queues`, which a server validates against [`MAX_ENTROPY_BITS`]. 0 without queues.
///
/// ```
/// use k8s_flowcontrol_rules::sharding::entropy_bits;
///
/// assert_eq!(entropy_bits(64, 8), 48);
/// assert_eq!(entropy_bits(128, 10), 70);
/// ```
pub fn entropy_bits(queues: u32, hand_size: u32) -> u32 {
    if queues == 0 {
        return 0;
    }
    // At most 32 × 2³², for which the cast saturates; never negative or NaN.
    (go_log2(f64::from(queues)) * f64::from(hand_size)).ceil() as u32
}

/// Go's `math.Log2` of a number of at least 1.
///
/// At the limit the last bit of the logarithm decides, so this splits the number exactly as Go does.
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

/// Deals hands of `handSize` out of `queues` queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dealer {
    queues: u32,
    hand_size: u32,
}

impl Dealer {
    /// Creates a dealer for a priority level with `queues` queues and hands of `hand_size`.
    ///
    /// # Errors
    /// [`InvalidDealer`] if a number is not positive, the hand is larger than the number of queues, there are more than
    /// [`MAX_QUEUES`] queues, or a hand needs more than [`MAX_ENTROPY_BITS`] bits of hash.
    pub fn new(queues: i32, hand_size: i32) -> Result<Self, InvalidDealer> {
        let problem = match (u32::try_from(queues), u32::try_from(hand_size)) {
            (Ok(queues), Ok(hand_size)) if queues > 0 && hand_size > 0 => {
                if hand_size > queues {
                    Problem::HandTooLarge
                } else if queues > MAX_QUEUES {
                    Problem::TooManyQueues
                } else if entropy_bits(queues, hand_size) > MAX_ENTROPY_BITS {
                    Problem::TooManyBits
                } else {
                    return Ok(Self { queues, hand_size });
                }
            }
            _ => Problem::NotPositive,
        };
        Err(InvalidDealer {
            queues,
            hand_size,
            problem,
        })
    }

    /// The number of queues.
    pub const fn queues(&self) -> u32 {
        self.queues
    }

    /// The number of queues in a hand: at most 15, except with fewer than 16 queues.
    pub const fn hand_size(&self) -> u32 {
        self.hand_size
    }

    /// Deals the hand of a flow: distinct indexes below [`queues`](Self::queues), in the order dealt.
    ///
    /// A level with one queue does not use shuffle sharding; its only hand is queue 0.
    pub fn deal(&self, flow_hash: u64) -> Vec<u32> {
        let mut hand = Vec::with_capacity(self.hand_size as usize);
        self.deal_into(flow_hash, &mut hand);
        hand
    }

    /// Replaces the contents of `hand` by the hand of a flow, like [`deal`](Self::deal), and keeps its memory.
    pub(crate) fn deal_into(&self, flow_hash: u64, hand: &mut Vec<u32>) {
        hand.clear();
        let mut rest = flow_hash;
        for dealt in 0..self.hand_size {
            // A hand is at most as large as the number of queues, so some are left.
            let left = u64::from(self.queues - dealt);
            // Less than `queues`, so it fits.
            hand.push((rest % left) as u32);
            rest /= left;
        }
        // Each remainder is an index among the queues that were left. Counting the queues dealt before turns it into an
        // index among all, from the last to the first, so that the remainders before it are still there.
        for last in (1..hand.len()).rev() {
            let (before, card) = hand.split_at_mut(last);
            for earlier in before.iter().rev() {
                if card[0] >= *earlier {
                    card[0] += 1;
                }
            }
        }
    }
}

/// The error for a number of queues and a hand size with which hands cannot be dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidDealer {
    queues: i32,
    hand_size: i32,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    NotPositive,
    HandTooLarge,
    TooManyQueues,
    TooManyBits,
}

impl fmt::Display for InvalidDealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            queues, hand_size, ..
        } = self;
        write!(
            f,
            "cannot deal hands of {hand_size} out of {queues} queues: "
        )?;
        match self.problem {
            Problem::NotPositive => f.write_str("both numbers must be positive"),
            Problem::HandTooLarge => f.write_str("the hand is larger than the number of queues"),
            Problem::TooManyQueues => write!(f, "more than {MAX_QUEUES} queues"),
            Problem::TooManyBits => {
                write!(f, "a hand needs more than {MAX_ENTROPY_BITS} bits of hash")
            }
        }
    }
}

impl std::error::Error for InvalidDealer {}

/// The hash of a flow, which determines its hand.
///
/// It depends only on the flow schema's *name* (not its UID) and the flow distinguisher, so it is equal on every server
/// and after a restart: the first eight bytes, in little-endian order, of the SHA-256 of the name, a zero byte and the
/// distinguisher.
///
/// ```
/// use k8s_flowcontrol_rules::sharding::flow_hash;
///
/// assert_eq!(flow_hash("global-default", "alice"), 17644606172554983095);
/// assert_eq!(flow_hash("catch-all", ""), 7733929212674924205);
/// ```
pub fn flow_hash(flow_schema: &str, flow_distinguisher: &str) -> u64 {
    let message = [flow_schema.as_bytes(), &[0], flow_distinguisher.as_bytes()].concat();
    let [a, b, c, d, e, f, g, h, ..] = Hash::hash(&message);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
