//! Defaults for typed objects.

use super::rules::{Field, rules};
use crate::write::no_list::NoList;
use k8s_flowcontrol_types::api::v1;
use k8s_flowcontrol_types::convert::parts::AnyVersion;
use k8s_flowcontrol_types::convert::{PRESERVE_ZERO_ANNOTATION, annotation_counts};
use k8s_flowcontrol_types::kind::VersionedKind;
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

#[allow(private_bounds)]
impl<K> Defaulted for K
where
    K: NoList + AnyVersion + Default,
    K::Common: Fields,
{
    fn default_in_place(&mut self, release: Release) {
        let annotations = &self.metadata().annotations;
        let preserves_zero = K::API == ApiVersion::V1Beta3
            && annotation_counts(release)
            && annotations.contains_key(PRESERVE_ZERO_ANNOTATION);
        let mut object = std::mem::take(self).into_common();
        for rule in rules(VersionedKind::of::<K>(release), preserves_zero) {
            if let Some(value) = object.field(rule.field)
                && (value.is_none() || *value == Some(0) && rule.zero_is_absent)
            {
                *value = Some(rule.value);
            }
        }
        *self = K::from_common(object);
    }
}

impl<K: Resource + Defaulted> Defaulted for List<K> {
    fn default_in_place(&mut self, release: Release) {
        for item in &mut self.items {
            item.default_in_place(release);
        }
    }
}

/// The fields with defaults, of a kind in v1.
pub trait Fields {
    /// The value of a field, if the object that contains it exists.
    fn field(&mut self, field: Field) -> Option<&mut Option<i32>>;
}

impl Fields for v1::FlowSchema {
    fn field(&mut self, field: Field) -> Option<&mut Option<i32>> {
        (field == Field::MatchingPrecedence).then_some(&mut self.spec.matching_precedence)
    }
}

impl Fields for v1::PriorityLevelConfiguration {
    fn field(&mut self, field: Field) -> Option<&mut Option<i32>> {
        let spec = &mut self.spec;
        match field {
            Field::MatchingPrecedence => return None,
            Field::ExemptShares => {
                return Some(&mut spec.exempt.as_mut()?.nominal_concurrency_shares);
            }
            Field::ExemptLendablePercent => {
                return Some(&mut spec.exempt.as_mut()?.lendable_percent);
            }
            _ => {}
        }
        let limited = spec.limited.as_mut()?;
        let queuing = &mut limited.limit_response.queuing;
        Some(match field {
            Field::Shares => &mut limited.nominal_concurrency_shares,
            Field::Queues => &mut queuing.as_mut()?.queues,
            Field::HandSize => &mut queuing.as_mut()?.hand_size,
            Field::QueueLengthLimit => &mut queuing.as_mut()?.queue_length_limit,
            _ => &mut limited.lendable_percent,
        })
    }
}
