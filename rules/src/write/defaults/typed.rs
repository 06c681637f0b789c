//! Defaults for typed objects.

use super::rules::{Field, rules};
use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::convert::{PRESERVE_ZERO_ANNOTATION, annotation_counts};
use k8s_flowcontrol_types::kind::{Versioned, VersionedKind};
use k8s_flowcontrol_types::meta::{RawJson, Unknown};
use k8s_flowcontrol_types::{ApiVersion, List, Release, Resource};

/// Sets the defaults that a server sets when it decodes an object or a list.
///
/// Implemented for both kinds in all versions. Unknown fields are kept. A second call changes nothing.
///
/// ```
/// use k8s_flowcontrol_types::Release;
/// use k8s_flowcontrol_types::api::v1beta3::FlowSchema;
/// use k8s_flowcontrol_rules::defaults::Defaulted;
///
/// let schema = FlowSchema::default().defaulted(Release::NEWEST);
/// assert_eq!(schema.spec.matching_precedence, Some(1000));
/// ```
pub trait Defaulted: Sized {
    /// Sets the defaults of a server of `release`.
    fn default_in_place(&mut self, release: Release);

    /// Returns the object with the defaults of a server of `release`.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::defaults::Defaulted;
    /// use k8s_flowcontrol_types::Release;
    /// use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
    ///
    /// let mut level = PriorityLevelConfiguration::default();
    /// level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(0);
    /// let limited = level.defaulted(Release::NEWEST).spec.limited.unwrap_or_default();
    /// assert_eq!((limited.nominal_concurrency_shares, limited.lendable_percent), (Some(0), Some(0)));
    /// ```
    fn defaulted(mut self, release: Release) -> Self {
        self.default_in_place(release);
        self
    }
}

impl<K: Fields> Defaulted for K {
    fn default_in_place(&mut self, release: Release) {
        let annotations = &self.metadata().annotations;
        let preserves_zero = K::API == ApiVersion::V1Beta3
            && annotation_counts(release)
            && annotations.contains_key(PRESERVE_ZERO_ANNOTATION);
        for rule in rules(VersionedKind::of::<K>(release), preserves_zero) {
            self.change(rule.field, &mut |value| match *value {
                Some(0) if rule.zero_is_absent => *value = Some(rule.value),
                None => *value = Some(rule.value),
                Some(_) => {}
            });
        }
    }
}

impl<K: Resource + Defaulted> Defaulted for List<K> {
    fn default_in_place(&mut self, release: Release) {
        for item in &mut self.items {
            item.default_in_place(release);
        }
    }
}

/// Access to the fields of a kind that have defaults.
pub trait Fields: Versioned {
    /// Calls `change` with the field, if its parent object exists.
    fn change(&mut self, field: Field, change: &mut dyn FnMut(&mut Option<i32>));
}

macro_rules! flow_schema {
    ($($module:ident)*) => {$(
        impl Fields for $module::FlowSchema {
            fn change(&mut self, field: Field, change: &mut dyn FnMut(&mut Option<i32>)) {
                if field == Field::MatchingPrecedence {
                    change(&mut self.spec.matching_precedence);
                }
            }
        }
    )*};
}
flow_schema!(v1 v1beta3 v1beta2 v1beta1);

macro_rules! priority_level {
    ($($module:ident $shares:ident)*) => {$(
        impl Fields for $module::PriorityLevelConfiguration {
            fn change(&mut self, field: Field, change: &mut dyn FnMut(&mut Option<i32>)) {
                let limited = self.spec.limited.as_mut();
                match (field, limited, &mut self.spec.exempt) {
                    (Field::Shares, Some(limited), _) => change(&mut limited.$shares),
                    (Field::LendablePercent, Some(limited), _) => change(&mut limited.lendable_percent),
                    (Field::ExemptShares, _, Some(exempt)) => {
                        change(&mut exempt.nominal_concurrency_shares);
                    }
                    (Field::ExemptLendablePercent, _, Some(exempt)) => change(&mut exempt.lendable_percent),
                    (_, Some(limited), _) => change_queuing(&mut limited.limit_response, field, change),
                    _ => {}
                }
            }
        }
    )*};
}
priority_level! {
    v1 nominal_concurrency_shares
    v1beta3 nominal_concurrency_shares
    v1beta2 assured_concurrency_shares
}

/// Servers from 1.26 on set defaults of v1beta1 fields that the v1beta1 document, published with 1.25, does not have.
impl Fields for v1beta1::PriorityLevelConfiguration {
    fn change(&mut self, field: Field, change: &mut dyn FnMut(&mut Option<i32>)) {
        match (field, &mut self.spec.limited) {
            (Field::Shares, Some(limited)) => change(&mut limited.assured_concurrency_shares),
            (Field::LendablePercent, Some(limited)) => {
                change_unknown(&mut limited.unknown, field, change);
            }
            (Field::ExemptShares | Field::ExemptLendablePercent, _) => {
                change_exempt(&mut self.spec.unknown, field, change);
            }
            (_, Some(limited)) => change_queuing(&mut limited.limit_response, field, change),
            _ => {}
        }
    }
}

fn change_queuing(
    response: &mut v1::LimitResponse,
    field: Field,
    change: &mut dyn FnMut(&mut Option<i32>),
) {
    match (field, &mut response.queuing) {
        (Field::Queues, Some(queuing)) => change(&mut queuing.queues),
        (Field::HandSize, Some(queuing)) => change(&mut queuing.hand_size),
        (Field::QueueLengthLimit, Some(queuing)) => change(&mut queuing.queue_length_limit),
        _ => {}
    }
}

/// Calls `change` with an unknown field; a value of a wrong type is kept.
fn change_unknown(unknown: &mut Unknown, field: Field, change: &mut dyn FnMut(&mut Option<i32>)) {
    let name = field.name(ApiVersion::V1Beta1);
    let mut value = match unknown.get(name).map(RawJson::to::<Option<i32>>) {
        None => None,
        Some(Ok(value)) => value,
        Some(Err(_)) => return,
    };
    let before = value;
    change(&mut value);
    if value != before
        && let Ok(value) = RawJson::from_value(&value)
    {
        unknown.insert(name, value);
    }
}

fn change_exempt(unknown: &mut Unknown, field: Field, change: &mut dyn FnMut(&mut Option<i32>)) {
    let Some(Ok(Some(mut exempt))) = unknown
        .get("exempt")
        .map(RawJson::to::<Option<v1::ExemptPriorityLevelConfiguration>>)
    else {
        return;
    };
    let value = match field {
        Field::ExemptShares => &mut exempt.nominal_concurrency_shares,
        _ => &mut exempt.lendable_percent,
    };
    let before = *value;
    change(value);
    if *value != before
        && let Ok(exempt) = RawJson::from_value(&exempt)
    {
        unknown.insert("exempt", exempt);
    }
}
