//! What a Kubernetes API server fills in when it decodes an object.
//!
//! The published documents claim `default: 0` for several fields; those are Go's zero values. The
//! defaults here are the ones that a server really applies, per version and release:
//!
//! | Field | Default | Where |
//! |---|---|---|
//! | `spec.matchingPrecedence` | 1000 for 0 and absence | every version |
//! | `spec.limited.assuredConcurrencyShares` | 30 for 0 and absence | v1beta1, v1beta2 |
//! | `spec.limited.nominalConcurrencyShares` | 30 for 0 and absence; beside the [annotation](k8s_flowcontrol_types::convert::PRESERVE_ZERO_ANNOTATION), from 1.29 on, 0 for absence | v1beta3 |
//! | `spec.limited.nominalConcurrencyShares` | 30 for absence | v1 |
//! | `spec.limited.lendablePercent` | 0 for absence | since 1.26 |
//! | `spec.exempt.nominalConcurrencyShares`, `spec.exempt.lendablePercent` | 0 for absence | since 1.28 |
//! | `spec.limited.limitResponse.queuing`: `queues`, `handSize`, `queueLengthLimit` | 64, 8, 50 for 0 and absence | every version |
//!
//! Nothing else has a default, and no stanza is made: a level without `limited` stays without it.
//! [`Defaulted`] fills in types, [`apply`] JSON trees.

mod rules;
mod tree;
mod typed;

pub use tree::apply;
pub use typed::Defaulted;
