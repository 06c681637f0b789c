//! A configuration under the whole load.

use super::answer::{Examined, Proof};
use super::check::{Check, Measured};
use super::error::SizeError;
use super::intents::Target;
use super::pair::both;
use super::setting::Objects;
use super::sizer::{Extent, Outcome, Sizer};
use super::variation::{FIRST_SEED, Variation};
use crate::simulation::Report;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};

/// The load with which the margin is measured.
pub(super) const MORE: f64 = 1.5;

/// The behavior of a configuration under the whole load.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Examination {
    /// The checks of each variation of the load.
    pub proof: Proof,
    /// The simulation of the unchanged load.
    pub report: Report,
}

impl Sizer<'_> {
    /// Whether the intents hold on a server with these objects and seats: under the unchanged load, with another seed, and beside
    /// the clients that must not starve others.
    ///
    /// # Errors
    /// [`SizeError::InvalidLevel`].
    pub fn check(
        &self,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
    ) -> Result<Vec<Check>, SizeError> {
        let objects = Objects::of(flow_schemas, priority_levels);
        let mut checks = Vec::new();
        for variation in self.required() {
            let outcome = self.run(&objects, seats, variation, Extent::Whole)?;
            checks.extend(outcome.checks);
        }
        Ok(checks)
    }

    /// As [`check`](Self::check), with 1.5 times the load as a margin, and the simulation itself.
    ///
    /// # Errors
    /// [`SizeError::NoArrivals`] and [`SizeError::InvalidLevel`].
    pub fn examine(
        &self,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
    ) -> Result<Examination, SizeError> {
        let objects = Objects::of(flow_schemas, priority_levels);
        let mut outcomes = self.outcomes(&objects, seats, &[])?;
        let proof = self.proof(&outcomes);
        let (_, first) = outcomes.swap_remove(0);
        let report = first.measured.report;
        Ok(Examination { proof, report })
    }

    /// The results of all variations, the unchanged load first, except for those that are known.
    pub(super) fn outcomes(
        &self,
        objects: &Objects,
        seats: u32,
        known: &[(Variation, Outcome)],
    ) -> Result<Vec<(Variation, Outcome)>, SizeError> {
        let run = |variation: Variation| {
            // The charts show the unchanged load.
            let extent = match variation == self.unchanged() {
                true => Extent::WithSamples,
                false => Extent::Whole,
            };
            let is_known = |(known, _): &&(Variation, Outcome)| *known == variation;
            let known = known.iter().find(is_known);
            let outcome = match (known, extent) {
                (Some((_, known)), Extent::Whole) => known.clone(),
                _ => self.run(objects, seats, variation, extent)?,
            };
            Ok((variation, outcome))
        };
        let more = Variation {
            times: self.times * MORE,
            ..Variation::seed(FIRST_SEED)
        };
        let all: Vec<_> = self.required().into_iter().chain([more]).collect();
        let run = |variation: Variation| {
            let (variation, outcome) = run(variation)?;
            if self.is_required(&variation) {
                self.check_arrivals(&outcome)?;
            }
            Ok((variation, outcome))
        };
        let run_all = |variations: &[Variation]| variations.iter().copied().map(run).collect();
        match self.is_large() {
            false => run_all(&all),
            true => {
                // The first one has every event, and takes as long as the others.
                let (first, others) = all.split_at(1);
                let (mut first, others): (Vec<_>, Vec<_>) =
                    match both(|| run_all(first), || run_all(others)) {
                        (Ok(first), Ok(others)) => (first, others),
                        (Err(error), _) | (_, Err(error)) => return Err(error),
                    };
                first.extend(others);
                Ok(first)
            }
        }
    }

    /// An error if the load lacks requests of a client: nothing would be checked.
    fn check_arrivals(&self, outcome: &Outcome) -> Result<(), SizeError> {
        for check in &outcome.checks {
            let intent = &self.intents.intents[check.intent];
            let is_wait = matches!(check.measured, Measured::Wait { .. });
            if is_wait && check.requests == 0 && matches!(intent.target, Target::Client(_)) {
                return Err(SizeError::NoArrivals {
                    intent: intent.name.clone(),
                    line: intent.line,
                });
            }
        }
        Ok(())
    }

    pub(super) fn proof(&self, outcomes: &[(Variation, Outcome)]) -> Proof {
        let examined = outcomes.iter().map(|(variation, outcome)| Examined {
            variation: *variation,
            title: self.title(*variation),
            is_required: self.is_required(variation),
            requests: outcome.measured.report.requests,
            quiet: outcome.measured.passed,
            checks: outcome.checks.clone(),
        });
        Proof {
            examined: examined.collect(),
        }
    }

    /// The load without changes.
    pub(super) fn unchanged(&self) -> Variation {
        Variation {
            times: self.times,
            ..Variation::seed(FIRST_SEED)
        }
    }

    /// The variations in which every intent must hold.
    pub(super) fn required(&self) -> Vec<Variation> {
        let other = Variation {
            seed: FIRST_SEED + 1,
            ..self.unchanged()
        };
        let mut required = vec![self.unchanged(), other];
        for (index, intent) in self.intents.intents.iter().enumerate() {
            if !intent.never_starved_by.is_empty() {
                required.push(Variation {
                    starved: Some(index),
                    ..self.unchanged()
                });
            }
        }
        required
    }

    pub(super) fn is_required(&self, variation: &Variation) -> bool {
        variation.times <= self.times
    }

    /// A variation in words.
    fn title(&self, variation: Variation) -> String {
        let starved = variation
            .starved
            .and_then(|index| self.intents.intents.get(index));
        match (starved, variation.times, variation.seed) {
            (Some(intent), ..) => {
                let names = intent.never_starved_by.iter();
                let names: Vec<_> = names.map(super::intents::client_name).collect();
                format!(
                    "the whole load, and 600 requests at a time of {}",
                    names.join(" and of ")
                )
            }
            (None, 1.0, FIRST_SEED) => "the whole load".to_owned(),
            (None, 1.0, seed) => format!("the whole load with seed {seed}"),
            (None, times, FIRST_SEED) => format!("{times} times the load"),
            (None, times, seed) => format!("{times} times the load with seed {seed}"),
        }
    }
}
