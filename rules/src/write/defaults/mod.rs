//! The defaults that a Kubernetes API server sets when it decodes an object.
//!
//! The OpenAPI documents contain `default: 0` for several fields; those are Go's zero values. These are the defaults
//! that a server sets, per version and release:
//!
//! | Field | Default | Where |
//! |---|---|---|
//! | `spec.matchingPrecedence` | 1000 if 0 or absent | every version |
//! | `spec.limited.assuredConcurrencyShares` | 30 if 0 or absent | v1beta1, v1beta2 |
//! | `spec.limited.nominalConcurrencyShares` | 30 if 0 or absent; from 1.29 on, with the [annotation](k8s_flowcontrol_types::convert::PRESERVE_ZERO_ANNOTATION), 0 if absent | v1beta3 |
//! | `spec.limited.nominalConcurrencyShares` | 30 if absent | v1 |
//! | `spec.limited.lendablePercent` | 0 if absent | since 1.26 |
//! | `spec.exempt.nominalConcurrencyShares`, `spec.exempt.lendablePercent` | 0 if absent | since 1.28 |
//! | `spec.limited.limitResponse.queuing`: `queues`, `handSize`, `queueLengthLimit` | 64, 8, 50 if 0 or absent | every version |
//!
//! No other field has a default, and no parent object is added: a level without `limited` stays without it.
//! [`Defaulted`] sets the defaults of typed objects, [`apply`] the defaults of JSON trees.

mod rules;
mod tree;
mod typed;

pub use tree::apply;
pub use typed::Defaulted;
