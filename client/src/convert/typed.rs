//! Conversion of types.

mod common;
mod standard;
mod versions;

use super::server::{prune_list, server_tree};
use super::{Loss, Lossy, shares_name};
use crate::meta::{ListMeta, Unknown};
use crate::rt::json;
use crate::{ApiVersion, List, Release, Resource, text};
use common::Common;
use serde_json::Value;
use versions::Versioned;

/// Conversion to the same kind in another version, of objects and of lists.
///
/// For a given release, where [`From`] and [`TryFrom`] take the newest one. The [module](super) tells the two
/// conversions apart and has the table of what is lost.
///
/// ```
/// use k8s_flowcontrol::Release;
/// use k8s_flowcontrol::api::{v1, v1beta2};
/// use k8s_flowcontrol::convert::{Convert, Lossy};
///
/// let mut level = v1beta2::PriorityLevelConfiguration::default();
/// level.spec.limited = Some(v1beta2::LimitedPriorityLevelConfiguration::default());
///
/// let shape: v1::PriorityLevelConfiguration = level.clone().convert_shape(Release::NEWEST)?;
/// assert_eq!(shape.spec.limited.unwrap().nominal_concurrency_shares, None);
/// let shown: v1::PriorityLevelConfiguration = level.convert_as_server(Release::NEWEST)?;
/// assert_eq!(shown.spec.limited.unwrap().nominal_concurrency_shares, Some(30));
/// # Ok::<(), Lossy<v1::PriorityLevelConfiguration>>(())
/// ```
pub trait Convert<To>: Sized {
    /// A member's path in `Self` and its path in `To`, where they may differ: that of a limited level's shares.
    const RENAMED: Option<(&'static str, &'static str)>;

    /// Shape conversion: what is absent stays absent, and unknown members travel along.
    ///
    /// # Errors
    /// [`Lossy`] when something is lost or comes to mean something else to servers of `release`.
    fn convert_shape(self, release: Release) -> Result<To, Lossy<To>>;

    /// Server conversion: what a server of `release` shows in the version of `To` after it has read the object.
    ///
    /// Defaults are filled in, and members that the server does not know are dropped.
    ///
    /// # Errors
    /// [`Lossy`] when something is lost or is shown as something else.
    fn convert_as_server(self, release: Release) -> Result<To, Lossy<To>>;
}

impl<F, T> Convert<T> for F
where
    F: Versioned,
    T: Versioned<Common = F::Common>,
{
    const RENAMED: Option<(&'static str, &'static str)> = renamed(F::API, T::API);

    fn convert_shape(self, release: Release) -> Result<T, Lossy<T>> {
        let mut common = self.into_common();
        let losses = common.convert(F::API, T::API, release);
        Lossy::outcome(T::from_common(common), losses)
    }

    fn convert_as_server(self, release: Release) -> Result<T, Lossy<T>> {
        let converted = decoded(&self, release).and_then(|(tree, mut losses)| {
            let (tree, lost) = Lossy::parts(server_tree(tree, F::KIND, F::API, T::API, release));
            losses.extend(lost);
            Ok((json::from_tree(&tree)?, losses))
        });
        match converted {
            Ok((object, losses)) => Lossy::outcome(object, losses),
            // Only what no server reads either, such as managed fields that are nested too deep.
            Err(error) => {
                let (object, mut losses) = Lossy::parts(self.convert_shape(release));
                losses.push(Loss::new("", format!("not as a server shows it: {error}")));
                Lossy::outcome(object, losses)
            }
        }
    }
}

/// The object as a tree, and what a server's decoder would have to pass over to make one.
fn decoded<K: Versioned>(
    object: &K,
    release: Release,
) -> Result<(Value, Vec<Loss>), serde_json::Error> {
    let error = match json::to_tree(object) {
        Ok(tree) => return Ok((tree, Vec::new())),
        Err(error) => error,
    };
    // An unknown member may hold what no tree can, such as the number 1e400.
    let text = json::to_string(object);
    let Ok(tree) = text::parse_json(text.as_bytes()) else {
        return Err(error);
    };
    let target = text::DecodeAs {
        schema: K::schema().schema,
        package: K::VERSION,
        release,
        sorted: false,
    };
    let Ok(decoded) = text::decode(tree.root(), target) else {
        return Err(error);
    };
    let path = |message: &str| message.split('"').nth(1).unwrap_or_default().to_owned();
    let losses = decoded.problems.into_iter();
    let losses = losses.map(|problem| Loss::new(path(&problem.message), problem.message));
    Ok((decoded.value, losses.collect()))
}

impl<F, T> Convert<List<T>> for List<F>
where
    F: Resource + Convert<T>,
    T: Resource,
{
    const RENAMED: Option<(&'static str, &'static str)> = F::RENAMED;

    fn convert_shape(self, release: Release) -> Result<List<T>, Lossy<List<T>>> {
        let (items, losses) = convert_items(self.items, &|item: F| item.convert_shape(release));
        let list = List {
            metadata: self.metadata,
            items,
            unknown: self.unknown,
        };
        Lossy::outcome(list, losses)
    }

    fn convert_as_server(mut self, release: Release) -> Result<List<T>, Lossy<List<T>>> {
        let items = std::mem::take(&mut self.items);
        let (items, mut losses) = convert_items(items, &|item: F| item.convert_as_server(release));
        let (metadata, lost) = list_metadata(self, release);
        losses.extend(lost);
        let list = List {
            metadata,
            items,
            unknown: Unknown::default(),
        };
        Lossy::outcome(list, losses)
    }
}

/// The metadata of a list without what a server does not know, and what the list loses.
fn list_metadata<K: Resource>(list: List<K>, release: Release) -> (ListMeta, Vec<Loss>) {
    let mut losses = Vec::new();
    let pruned = json::to_tree(&list).and_then(|mut tree| {
        losses = prune_list(&mut tree, release);
        json::from_tree::<List<K>>(&tree)
    });
    match pruned {
        Ok(list) => (list.metadata, losses),
        // A number that no tree holds; the types know everything else.
        Err(error) => {
            losses.push(Loss::new("", format!("not as a server shows it: {error}")));
            (list.metadata, losses)
        }
    }
}

fn convert_items<F, T>(
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
