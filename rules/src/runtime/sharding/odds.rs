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
