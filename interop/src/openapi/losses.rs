//! The fields that the types of k8s-openapi cannot hold.

use crate::metadata;
use k8s_flowcontrol::convert::{Loss, Lossy};
use k8s_flowcontrol::meta::{ObjectMeta, Time, Unknown};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as openapi;

const UNKNOWN: &str = "k8s-openapi does not know the field";
const NO_TIME: &str = "it is not an RFC 3339 time";

/// The losses of a conversion, and the path of the present field.
#[derive(Default)]
pub(super) struct Losses {
    path: String,
    losses: Vec<Loss>,
}

impl Losses {
    /// Converts the field `field` with `convert`.
    pub(super) fn within<T>(&mut self, field: &str, convert: impl FnOnce(&mut Self) -> T) -> T {
        let path = self.at(field);
        let outer = std::mem::replace(&mut self.path, path);
        let converted = convert(self);
        self.path = outer;
        converted
    }

    /// Converts the elements of the list `field` with `convert`.
    pub(super) fn each<T, U>(
        &mut self,
        field: &str,
        list: Vec<T>,
        convert: fn(T, &mut Self) -> U,
    ) -> Vec<U> {
        let elements = list.into_iter().enumerate();
        elements
            .map(|(index, element)| {
                self.within(&format!("{field}[{index}]"), |losses| {
                    convert(element, losses)
                })
            })
            .collect()
    }

    /// Reports the unknown fields of the present object.
    pub(super) fn unknown(&mut self, unknown: &Unknown) {
        for (name, _) in unknown.iter() {
            self.lose(name, UNKNOWN);
        }
    }

    /// The time in the field `field`.
    pub(super) fn time(&mut self, field: &str, time: Option<&Time>) -> Option<openapi::Time> {
        let converted = time.and_then(metadata::time);
        if time.is_some() && converted.is_none() {
            self.lose(field, NO_TIME);
        }
        converted
    }

    /// The present object's metadata.
    pub(super) fn metadata(&mut self, metadata: &ObjectMeta) -> openapi::ObjectMeta {
        self.unknown(&metadata.unknown);
        self.time("creationTimestamp", metadata.creation_timestamp.as_ref());
        self.time("deletionTimestamp", metadata.deletion_timestamp.as_ref());
        for (index, owner) in metadata.owner_references.iter().enumerate() {
            self.within(&format!("ownerReferences[{index}]"), |losses| {
                losses.unknown(&owner.unknown)
            });
        }
        match metadata.managed_fields.entries() {
            Ok(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    self.within(&format!("managedFields[{index}]"), |losses| {
                        losses.unknown(&entry.unknown);
                        losses.time("time", entry.time.as_ref());
                        let converted = metadata::manager_to_kube(entry);
                        if entry.fields_v1.is_some() && converted.fields_v1.is_none() {
                            losses.lose("fieldsV1", "no JSON tree can hold it");
                        }
                    });
                }
            }
            Err(_) => self.lose("managedFields", "it is not a list of entries"),
        }
        metadata::to_kube(metadata)
    }

    /// The result of the whole conversion.
    pub(super) fn outcome<T>(self, object: T) -> Result<T, Lossy<T>> {
        Lossy::outcome(object, self.losses)
    }

    fn lose(&mut self, field: &str, why: &str) {
        self.losses.push(Loss::new(self.at(field), why));
    }

    fn at(&self, field: &str) -> String {
        match self.path.as_str() {
            "" => field.to_owned(),
            path => format!("{path}.{field}"),
        }
    }
}
