//! Server conversion of types.

use super::server::{prune_list, server_tree};
use crate::decode;
use crate::write::no_list::NoList;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::convert::parts::convert_items;
use k8s_flowcontrol_types::convert::{Convert, Loss, Lossy};
use k8s_flowcontrol_types::json;
use k8s_flowcontrol_types::kind::{Versioned, VersionedKind};
use k8s_flowcontrol_types::meta::{ListMeta, Unknown};
use k8s_flowcontrol_types::{List, Release, Resource};
use serde_json::Value;

/// Conversion to the same kind in another version as a server does it, of objects and of lists.
///
/// ```
/// use k8s_flowcontrol_rules::conversion::ConvertAsServer;
/// use k8s_flowcontrol_types::Release;
/// use k8s_flowcontrol_types::api::{v1, v1beta2};
/// use k8s_flowcontrol_types::convert::Lossy;
///
/// let mut level = v1beta2::PriorityLevelConfiguration::default();
/// level.spec.limited = Some(v1beta2::LimitedPriorityLevelConfiguration::default());
///
/// let shown: v1::PriorityLevelConfiguration = level.convert_as_server(Release::NEWEST)?;
/// assert_eq!(shown.spec.limited.unwrap().nominal_concurrency_shares, Some(30));
/// # Ok::<(), Lossy<v1::PriorityLevelConfiguration>>(())
/// ```
pub trait ConvertAsServer<To>: Convert<To> {
    /// Returns the object that a server of `release` shows in the version of `To` after it has read this one.
    ///
    /// Defaults are filled in, and fields that the server does not know are dropped.
    ///
    /// # Errors
    /// [`Lossy`] when something is lost or changes its meaning.
    fn convert_as_server(self, release: Release) -> Result<To, Lossy<To>>;
}

#[allow(private_bounds)]
impl<F, T> ConvertAsServer<T> for F
where
    F: NoList + Convert<T>,
    T: NoList,
{
    fn convert_as_server(self, release: Release) -> Result<T, Lossy<T>> {
        let converted = decoded(&self, release).and_then(|(tree, mut losses)| {
            let (tree, lost) =
                Lossy::parts(server_tree(tree, VersionedKind::of::<F>(release), T::API));
            losses.extend(lost);
            Ok((json::from_value(&tree)?, losses))
        });
        match converted {
            Ok((object, losses)) => Lossy::outcome(object, losses),
            // No server reads the object either, for example because its managed fields are nested too deep.
            Err(error) => {
                let (object, mut losses) = Lossy::parts(self.convert_shape(release));
                losses.push(Loss::new("", format!("not as a server shows it: {error}")));
                Lossy::outcome(object, losses)
            }
        }
    }
}

/// The object as a tree, and the fields that a server's decoder drops from it.
fn decoded<K: Versioned>(
    object: &K,
    release: Release,
) -> Result<(Value, Vec<Loss>), serde_json::Error> {
    let error = match json::to_value(object) {
        Ok(tree) => return Ok((tree, Vec::new())),
        Err(error) => error,
    };
    // An unknown field may hold a value that no tree holds, such as the number 1e400.
    let text = json::to_string(object);
    let Ok(tree) = k8s_flowcontrol_text::parse_json(text.as_bytes()) else {
        return Err(error);
    };
    let kind = VersionedKind::of::<K>(release);
    let Ok(decoded) = decode::decode(tree.root(), kind.into()) else {
        return Err(error);
    };
    let losses = decoded.unknown_fields.into_iter().map(|field| {
        let message = format!("unknown field {}", quote(&field));
        Loss::new(field, message)
    });
    Ok((decoded.value, losses.collect()))
}

impl<F, T> ConvertAsServer<List<T>> for List<F>
where
    F: Resource + ConvertAsServer<T>,
    T: Resource,
{
    fn convert_as_server(mut self, release: Release) -> Result<List<T>, Lossy<List<T>>> {
        let items = std::mem::take(&mut self.items);
        let invalid = std::mem::take(&mut self.invalid);
        let (items, mut losses) = convert_items(items, &|item: F| item.convert_as_server(release));
        let (metadata, lost) = list_metadata(self, release);
        losses.extend(lost);
        let list = List {
            metadata,
            items,
            invalid,
            unknown: Unknown::default(),
        };
        Lossy::outcome(list, losses)
    }
}

/// The metadata of a list without unknown fields, and the losses of the list.
fn list_metadata<K: Resource>(list: List<K>, release: Release) -> (ListMeta, Vec<Loss>) {
    let mut losses = Vec::new();
    let pruned = json::to_value(&list).and_then(|mut tree| {
        losses = prune_list(&mut tree, release);
        json::from_value::<List<K>>(&tree)
    });
    match pruned {
        Ok(list) => (list.metadata, losses),
        // An unknown field has a number that no tree holds.
        Err(error) => {
            losses.push(Loss::new("", format!("not as a server shows it: {error}")));
            (list.metadata, losses)
        }
    }
}
