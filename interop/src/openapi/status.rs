//! The status of both kinds: their conditions have the same fields, but are two types.

/// Defines `status_from` and `status_to` for the status of a kind.
macro_rules! status {
    ($status:ident, $condition:ident) => {
        pub(super) fn status_from(status: openapi::$status) -> v1::$status {
            v1::$status {
                conditions: each(status.conditions.unwrap_or_default(), |condition| {
                    v1::$condition {
                        r#type: condition.type_.unwrap_or_default(),
                        status: condition.status,
                        last_transition_time: condition
                            .last_transition_time
                            .as_ref()
                            .map(metadata::time_from_kube),
                        reason: condition.reason,
                        message: condition.message,
                        ..Default::default()
                    }
                }),
                ..Default::default()
            }
        }

        pub(super) fn status_to(status: v1::$status, losses: &mut Losses) -> openapi::$status {
            losses.unknown(&status.unknown);
            let conditions = losses.each("conditions", status.conditions, |condition, losses| {
                losses.unknown(&condition.unknown);
                openapi::$condition {
                    last_transition_time: losses.time(
                        "lastTransitionTime",
                        condition.last_transition_time.as_ref(),
                    ),
                    message: condition.message,
                    reason: condition.reason,
                    status: condition.status,
                    type_: Some(condition.r#type),
                }
            });
            openapi::$status {
                conditions: optional(conditions),
            }
        }
    };
}

pub(super) use status;
