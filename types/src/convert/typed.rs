//! Conversion of types.

mod common;
mod standard;
mod versions;

use super::known::later_fields;
use super::{Loss, Lossy, shares_name};
use crate::kind::VersionedKind;
use crate::{ApiVersion, List, Release, Resource};
use common::Common;

pub use versions::AnyVersion;

/// Conversion to the same kind in another version, of objects and of lists.
///
/// It takes a release, while [`From`] and [`TryFrom`] use the newest release. The [module](super) describes the two
/// conversions and has the table of losses.
///
/// ```
/// use k8s_flowcontrol_types::Release;
/// use k8s_flowcontrol_types::api::{v1, v1beta2};
/// use k8s_flowcontrol_types::convert::{Convert, Lossy};
///
/// let mut level = v1beta2::PriorityLevelConfiguration::default();
/// level.spec.limited = Some(v1beta2::LimitedPriorityLevelConfiguration::default());
///
/// let shape: v1::PriorityLevelConfiguration = level.convert_shape(Release::NEWEST)?;
/// assert_eq!(shape.spec.limited.unwrap().nominal_concurrency_shares, None);
/// # Ok::<(), Lossy<v1::PriorityLevelConfiguration>>(())
/// ```
pub trait Convert<To>: Sized {
    /// The path of a limited level's shares in `Self` and in `To`, if the two differ.
    const RENAMED: Option<(&'static str, &'static str)>;

    /// Shape conversion: absent fields stay absent, and unknown fields are kept.
    ///
    /// # Errors
    /// [`Lossy`] when something is lost or changes its meaning for servers of `release`.
    fn convert_shape(self, release: Release) -> Result<To, Lossy<To>>;

    /// Shape conversion of an object that is written to a server of `release`.
    ///
    /// Besides the losses of the conversion it reports the fields that this server drops although newer servers know
    /// them in the version of `To`, and zero shares that it reads as the default or that may become the default.
    ///
    /// # Errors
    /// [`Lossy`] when the conversion or the server loses something.
    fn convert_for_server(self, release: Release) -> Result<To, Lossy<To>>;
}

impl<F, T> Convert<T> for F
where
    F: AnyVersion,
    T: AnyVersion<Common = F::Common>,
{
    const RENAMED: Option<(&'static str, &'static str)> = renamed(F::API, T::API);

    fn convert_shape(self, release: Release) -> Result<T, Lossy<T>> {
        let mut common = self.into_common();
        let losses = common.convert(F::API, T::API, release);
        Lossy::outcome(T::from_common(common), losses)
    }

    fn convert_for_server(self, release: Release) -> Result<T, Lossy<T>> {
        let mut common = self.into_common();
        let mut losses = common.server_losses(F::API, T::API, release);
        losses.extend(common.convert(F::API, T::API, Release::NEWEST));
        let object = T::from_common(common);
        losses.extend(later_fields(VersionedKind::of::<T>(release), || {
            // Types of this crate have a JSON form.
            let mut tree = serde_json::to_value(&object).unwrap_or_default();
            tree["spec"].take()
        }));
        Lossy::outcome(object, losses)
    }
}

impl<F, T> Convert<List<T>> for List<F>
where
    F: Resource + Convert<T>,
    T: Resource,
{
    const RENAMED: Option<(&'static str, &'static str)> = F::RENAMED;

    fn convert_shape(self, release: Release) -> Result<List<T>, Lossy<List<T>>> {
        convert_list(self, &|item: F| item.convert_shape(release))
    }

    fn convert_for_server(self, release: Release) -> Result<List<T>, Lossy<List<T>>> {
        convert_list(self, &|item: F| item.convert_for_server(release))
    }
}

fn convert_list<F, T>(
    list: List<F>,
    convert: &dyn Fn(F) -> Result<T, Lossy<T>>,
) -> Result<List<T>, Lossy<List<T>>> {
    let (items, losses) = convert_items(list.items, convert);
    let list = List {
        metadata: list.metadata,
        items,
        invalid: list.invalid,
        unknown: list.unknown,
    };
    Lossy::outcome(list, losses)
}

/// Converts the items of a list; the losses name them.
pub fn convert_items<F, T>(
    items: Vec<F>,
    convert: &dyn Fn(F) -> Result<T, Lossy<T>>,
) -> (Vec<T>, Vec<Loss>) {
    let mut converted = Vec::with_capacity(items.len());
    let mut losses = Vec::new();
    for item in items {
        let (item, lost) = Lossy::parts(convert(item));
        add_losses(&mut losses, lost, converted.len());
        converted.push(item);
    }
    (converted, losses)
}

fn add_losses(losses: &mut Vec<Loss>, lost: Vec<Loss>, index: usize) {
    losses.extend(lost.into_iter().map(|loss| loss.of_item(index)));
}

const fn renamed(from: ApiVersion, to: ApiVersion) -> Option<(&'static str, &'static str)> {
    const ASSURED: &str = "spec.limited.assuredConcurrencyShares";
    const NOMINAL: &str = "spec.limited.nominalConcurrencyShares";
    match (is_old(from), is_old(to)) {
        (true, false) => Some((ASSURED, NOMINAL)),
        (false, true) => Some((NOMINAL, ASSURED)),
        _ => None,
    }
}

const fn is_old(version: ApiVersion) -> bool {
    matches!(version, ApiVersion::V1Beta1 | ApiVersion::V1Beta2)
}
