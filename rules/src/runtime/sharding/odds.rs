//! The probability that elephants squish a mouse.

use super::Dealer;

impl Dealer {
    /// The number of different hands: `queues` choose `handSize`.
    ///
    /// A mouse has the same hand as one given elephant with probability 1 / `hands()`.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::sharding::Dealer;
    ///
    /// assert_eq!(Dealer::new(64, 8)?.hands(), 4_426_165_368);
    /// # Ok::<(), k8s_flowcontrol_rules::sharding::InvalidDealer>(())
    /// ```
    pub fn hands(&self) -> u64 {
        let (queues, hand_size) = (u128::from(self.queues()), u128::from(self.hand_size()));
        // Each step is itself a binomial coefficient, so the division is exact. The last one is at most
        // `queues` ^ `handSize`, less than 2⁶⁰ for every dealer.
        (0..hand_size).fold(1, |hands, dealt| hands * (queues - dealt) / (dealt + 1)) as u64
    }

    /// The probability that the hands of `elephants` heavy flows together contain every queue of a light flow's hand,
    /// between 0 and 1.
    ///
    /// The Kubernetes documentation has a table of this probability for choosing `handSize` and `queues`. All hands
    /// count as equally likely and independent, although the names of real flows fix their hands.
    ///
    /// With one elephant the value is exactly 1 / [`hands`](Self::hands), rounded once. With more, each elephant
    /// updates the distribution of the number of occupied queues. All terms are positive, so that nothing cancels and
    /// the relative error is below `elephants` × (6 × `handSize` + 2) × 2⁻⁵³.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::sharding::Dealer;
    ///
    /// let dealer = Dealer::new(32, 12)?;
    /// assert!((dealer.squish_probability(4) - 0.11431348830099144).abs() < 1e-15);
    /// # Ok::<(), k8s_flowcontrol_rules::sharding::InvalidDealer>(())
    /// ```
    pub fn squish_probability(&self, elephants: u8) -> f64 {
        match elephants {
            0 => 0.0,
            1 => 1.0 / self.hands() as f64,
            _ => {
                let occupied = self.occupied_by(elephants);
                occupied
                    .iter()
                    .enumerate()
                    .map(|(occupied, probability)| {
                        probability * self.covered_probability(occupied as u32)
                    })
                    .sum()
            }
        }
    }

    /// The probability of each number of queues that `elephants` elephants occupy together.
    fn occupied_by(&self, elephants: u8) -> Vec<f64> {
        let hand_size = self.hand_size();
        let most = self.queues().min(u32::from(elephants) * hand_size);
        let mut distribution = vec![0.0; most as usize + 1];
        distribution[0] = 1.0;
        for _ in 0..elephants {
            let mut next = vec![0.0; distribution.len()];
            for (occupied, probability) in distribution.iter().enumerate() {
                if *probability > 0.0 {
                    for fresh in 0..=hand_size {
                        // A step beyond the number of queues has probability 0.
                        if let Some(reached) = next.get_mut(occupied + fresh as usize) {
                            *reached += probability * self.adds(occupied as u32, fresh);
                        }
                    }
                }
            }
            distribution = next;
        }
        distribution
    }

    /// The probability that a hand has exactly `fresh` queues outside of `occupied` given ones.
    fn adds(&self, occupied: u32, fresh: u32) -> f64 {
        let again = self.hand_size() - fresh;
        let free = self.queues() - occupied;
        if again > occupied || fresh > free {
            return 0.0;
        }
        // The probability of first `again` occupied and then `fresh` free queues, times the number of orders. The
        // factors are between 2⁻²⁶ and 1, so that nothing underflows.
        let left = |of: u32, taken: u32| f64::from(of - taken);
        let deal: f64 = (0..self.hand_size())
            .map(|dealt| {
                let candidates = if dealt < again {
                    left(occupied, dealt)
                } else {
                    left(free, dealt - again)
                };
                candidates / left(self.queues(), dealt)
            })
            .product();
        deal * binomial(self.hand_size(), fresh)
    }

    /// The probability that all queues of a hand are among `occupied` given ones, between 0 and 1.
    ///
    /// More than [`queues`](Self::queues) count as all queues.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::sharding::Dealer;
    ///
    /// let dealer = Dealer::new(4, 2)?;
    /// // One hand out of six.
    /// assert!((dealer.covered_probability(2) - 1.0 / 6.0).abs() < 1e-15);
    /// assert_eq!((dealer.covered_probability(1), dealer.covered_probability(9)), (0.0, 1.0));
    /// # Ok::<(), k8s_flowcontrol_rules::sharding::InvalidDealer>(())
    /// ```
    pub fn covered_probability(&self, occupied: u32) -> f64 {
        self.adds(occupied.min(self.queues()), 0)
    }
}

/// `of` choose `take` for numbers up to 15, exact.
fn binomial(of: u32, take: u32) -> f64 {
    (0..take).fold(1.0, |ways, taken| {
        ways * f64::from(of - taken) / f64::from(taken + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the Kubernetes documentation: worked examples for shuffle sharding.
    const DOCUMENTED: [(i32, i32, [f64; 3]); 11] = [
        (
            12,
            32,
            [
                4.428838398950118e-09,
                0.11431348830099144,
                0.9935089607656024,
            ],
        ),
        (
            10,
            32,
            [
                1.550093439632541e-08,
                0.0626479840223545,
                0.9753101519027554,
            ],
        ),
        (
            10,
            64,
            [
                6.601827268370426e-12,
                0.00045571320990370776,
                0.49999929150089345,
            ],
        ),
        (
            9,
            64,
            [
                3.6310049976037345e-11,
                0.00045501212304112273,
                0.4282314876454858,
            ],
        ),
        (
            8,
            64,
            [
                2.25929199850899e-10,
                0.0004886697053040446,
                0.35935114681123076,
            ],
        ),
        (
            8,
            128,
            [
                6.994461389026097e-13,
                3.4055790161620863e-06,
                0.02746173137155063,
            ],
        ),
        (
            7,
            128,
            [
                1.0579122850901972e-11,
                6.960839379258192e-06,
                0.02406157386340147,
            ],
        ),
        (
            7,
            256,
            [
                7.597695465552631e-14,
                6.728547142019406e-08,
                0.0006709661542533682,
            ],
        ),
        (
            6,
            256,
            [
                2.7134626662687968e-12,
                2.9516464018476436e-07,
                0.0008895654642000348,
            ],
        ),
        (
            6,
            512,
            [
                4.116062922897309e-14,
                4.982983350480894e-09,
                2.26025764343413e-05,
            ],
        ),
        (
            6,
            1024,
            [
                6.337324016514285e-16,
                8.09060164312957e-11,
                4.517408062903668e-07,
            ],
        ),
    ];

    #[test]
    fn the_documented_table_comes_out() {
        for (hand_size, queues, expected) in DOCUMENTED {
            let dealer = Dealer::new(queues, hand_size).unwrap();
            for (elephants, expected) in [1, 4, 16].into_iter().zip(expected) {
                let ours = dealer.squish_probability(elephants);
                let error = (ours / expected - 1.0).abs();
                assert!(
                    error < 1e-11,
                    "{hand_size} of {queues}, {elephants}: {ours} {error:e}"
                );
            }
        }
    }

    #[test]
    fn a_hand_of_all_queues_is_always_squished() {
        let dealer = Dealer::new(15, 15).unwrap();
        assert_eq!(dealer.hands(), 1);
        assert!((dealer.squish_probability(3) - 1.0).abs() < 1e-12);
    }
}
