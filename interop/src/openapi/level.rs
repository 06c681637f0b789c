//! The parts of a PriorityLevelConfiguration.

use super::status::status;
use super::{Losses, each, openapi, optional};
use crate::metadata;
use k8s_flowcontrol::api::v1;

pub(super) fn spec_from(
    spec: openapi::PriorityLevelConfigurationSpec,
) -> v1::PriorityLevelConfigurationSpec {
    v1::PriorityLevelConfigurationSpec {
        r#type: spec.type_.into(),
        limited: spec.limited.map(limited_from),
        exempt: spec
            .exempt
            .map(|exempt| v1::ExemptPriorityLevelConfiguration {
                nominal_concurrency_shares: exempt.nominal_concurrency_shares,
                lendable_percent: exempt.lendable_percent,
                ..Default::default()
            }),
        ..Default::default()
    }
}

pub(super) fn spec_to(
    spec: v1::PriorityLevelConfigurationSpec,
    losses: &mut Losses,
) -> openapi::PriorityLevelConfigurationSpec {
    losses.unknown(&spec.unknown);
    openapi::PriorityLevelConfigurationSpec {
        exempt: spec.exempt.map(|exempt| {
            losses.within("exempt", |losses| losses.unknown(&exempt.unknown));
            openapi::ExemptPriorityLevelConfiguration {
                lendable_percent: exempt.lendable_percent,
                nominal_concurrency_shares: exempt.nominal_concurrency_shares,
            }
        }),
        limited: spec
            .limited
            .map(|limited| losses.within("limited", |losses| limited_to(limited, losses))),
        type_: spec.r#type.as_str().to_owned(),
    }
}

status!(
    PriorityLevelConfigurationStatus,
    PriorityLevelConfigurationCondition
);

fn limited_from(
    limited: openapi::LimitedPriorityLevelConfiguration,
) -> v1::LimitedPriorityLevelConfiguration {
    v1::LimitedPriorityLevelConfiguration {
        nominal_concurrency_shares: limited.nominal_concurrency_shares,
        limit_response: limited
            .limit_response
            .map(response_from)
            .unwrap_or_default(),
        lendable_percent: limited.lendable_percent,
        borrowing_limit_percent: limited.borrowing_limit_percent,
        ..Default::default()
    }
}

fn limited_to(
    limited: v1::LimitedPriorityLevelConfiguration,
    losses: &mut Losses,
) -> openapi::LimitedPriorityLevelConfiguration {
    losses.unknown(&limited.unknown);
    let response = limited.limit_response;
    openapi::LimitedPriorityLevelConfiguration {
        borrowing_limit_percent: limited.borrowing_limit_percent,
        lendable_percent: limited.lendable_percent,
        limit_response: Some(
            losses.within("limitResponse", |losses| response_to(response, losses)),
        ),
        nominal_concurrency_shares: limited.nominal_concurrency_shares,
    }
}

fn response_from(response: openapi::LimitResponse) -> v1::LimitResponse {
    v1::LimitResponse {
        r#type: response.type_.into(),
        queuing: response.queuing.map(|queuing| v1::QueuingConfiguration {
            queues: queuing.queues,
            hand_size: queuing.hand_size,
            queue_length_limit: queuing.queue_length_limit,
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn response_to(response: v1::LimitResponse, losses: &mut Losses) -> openapi::LimitResponse {
    losses.unknown(&response.unknown);
    openapi::LimitResponse {
        queuing: response.queuing.map(|queuing| {
            losses.within("queuing", |losses| losses.unknown(&queuing.unknown));
            openapi::QueuingConfiguration {
                hand_size: queuing.hand_size,
                queue_length_limit: queuing.queue_length_limit,
                queues: queuing.queues,
            }
        }),
        type_: response.r#type.as_str().to_owned(),
    }
}
