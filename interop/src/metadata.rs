//! Metadata: our type and that of k8s-openapi.

use k8s_flowcontrol::meta::{
    ManagedFieldsEntry, ManagedFieldsOperation, ObjectMeta, OwnerReference, RawJson, Time,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as openapi;

/// The metadata as far as k8s-openapi's type can hold it.
pub(crate) fn to_kube(metadata: &ObjectMeta) -> openapi::ObjectMeta {
    openapi::ObjectMeta {
        annotations: some(&metadata.annotations, metadata.annotations.is_empty()),
        creation_timestamp: metadata.creation_timestamp.as_ref().and_then(time),
        deletion_grace_period_seconds: metadata.deletion_grace_period_seconds,
        deletion_timestamp: metadata.deletion_timestamp.as_ref().and_then(time),
        finalizers: some(&metadata.finalizers, metadata.finalizers.is_empty()),
        generate_name: metadata.generate_name.clone(),
        generation: metadata.generation,
        labels: some(&metadata.labels, metadata.labels.is_empty()),
        managed_fields: list(&managers(metadata), manager_to_kube),
        name: metadata.name.clone(),
        namespace: metadata.namespace.clone(),
        owner_references: list(&metadata.owner_references, owner_to_kube),
        resource_version: metadata.resource_version.clone(),
        self_link: metadata.self_link.clone(),
        uid: metadata.uid.clone(),
    }
}

/// The metadata of k8s-openapi's type, all of it.
pub(crate) fn from_kube(view: &openapi::ObjectMeta) -> ObjectMeta {
    let mut metadata = ObjectMeta::default();
    update(&mut metadata, view);
    metadata
}

/// Brings the changes of `view` into the metadata from which it was converted.
///
/// Only fields that differ are written, so that the others keep what `view` cannot hold.
pub(crate) fn update(metadata: &mut ObjectMeta, view: &openapi::ObjectMeta) {
    let before = to_kube(metadata);
    macro_rules! update {
        ($($field:ident: $converted:expr,)*) => {$(
            if before.$field != view.$field {
                metadata.$field = $converted;
            }
        )*};
    }
    update! {
        annotations: view.annotations.clone().unwrap_or_default(),
        creation_timestamp: view.creation_timestamp.as_ref().map(time_from_kube),
        deletion_grace_period_seconds: view.deletion_grace_period_seconds,
        deletion_timestamp: view.deletion_timestamp.as_ref().map(time_from_kube),
        finalizers: view.finalizers.clone().unwrap_or_default(),
        generate_name: view.generate_name.clone(),
        generation: view.generation,
        labels: view.labels.clone().unwrap_or_default(),
        name: view.name.clone(),
        namespace: view.namespace.clone(),
        resource_version: view.resource_version.clone(),
        self_link: view.self_link.clone(),
        uid: view.uid.clone(),
    }
    if before.owner_references != view.owner_references {
        let owners = view.owner_references.as_deref().unwrap_or_default();
        metadata.owner_references = updated(
            &metadata.owner_references,
            owners,
            owner_to_kube,
            owner_from_kube,
        );
    }
    if before.managed_fields != view.managed_fields {
        let entries = view.managed_fields.as_deref().unwrap_or_default();
        let entries = updated(
            &managers(metadata),
            entries,
            manager_to_kube,
            manager_from_kube,
        );
        metadata.managed_fields.set(&entries);
    }
}

/// The new elements of a list: the old element where its converted form is unchanged.
fn updated<T: Clone, V: PartialEq>(
    old: &[T],
    new: &[V],
    to_kube: fn(&T) -> V,
    from_kube: fn(&V) -> T,
) -> Vec<T> {
    let converted: Vec<V> = old.iter().map(to_kube).collect();
    let same = |element: &V| converted.iter().position(|old| old == element);
    new.iter()
        .map(|element| same(element).map_or_else(|| from_kube(element), |at| old[at].clone()))
        .collect()
}

/// A time, unless it is not RFC 3339.
pub(crate) fn time(time: &Time) -> Option<openapi::Time> {
    time.timestamp().ok().map(openapi::Time)
}

pub(crate) fn time_from_kube(time: &openapi::Time) -> Time {
    time.0.into()
}

/// The entries of `managedFields`, unless they cannot be read.
fn managers(metadata: &ObjectMeta) -> Vec<ManagedFieldsEntry> {
    metadata.managed_fields.entries().unwrap_or_default()
}

pub(crate) fn manager_to_kube(entry: &ManagedFieldsEntry) -> openapi::ManagedFieldsEntry {
    let fields = |raw: &RawJson| serde_json::from_str(raw.as_str()).ok();
    openapi::ManagedFieldsEntry {
        api_version: entry.api_version.clone(),
        fields_type: entry.fields_type.clone(),
        fields_v1: entry
            .fields_v1
            .as_ref()
            .and_then(fields)
            .map(openapi::FieldsV1),
        manager: entry.manager.clone(),
        operation: entry
            .operation
            .as_ref()
            .map(|operation| operation.as_str().to_owned()),
        subresource: entry.subresource.clone(),
        time: entry.time.as_ref().and_then(time),
    }
}

fn manager_from_kube(entry: &openapi::ManagedFieldsEntry) -> ManagedFieldsEntry {
    let fields = |fields: &openapi::FieldsV1| RawJson::from_value(&fields.0).ok();
    ManagedFieldsEntry {
        manager: entry.manager.clone(),
        operation: entry.operation.as_deref().map(ManagedFieldsOperation::from),
        api_version: entry.api_version.clone(),
        time: entry.time.as_ref().map(time_from_kube),
        fields_type: entry.fields_type.clone(),
        fields_v1: entry.fields_v1.as_ref().and_then(fields),
        subresource: entry.subresource.clone(),
        ..ManagedFieldsEntry::default()
    }
}

fn owner_to_kube(owner: &OwnerReference) -> openapi::OwnerReference {
    openapi::OwnerReference {
        api_version: owner.api_version.clone(),
        block_owner_deletion: owner.block_owner_deletion,
        controller: owner.controller,
        kind: owner.kind.clone(),
        name: owner.name.clone(),
        uid: owner.uid.clone(),
    }
}

fn owner_from_kube(owner: &openapi::OwnerReference) -> OwnerReference {
    OwnerReference {
        api_version: owner.api_version.clone(),
        kind: owner.kind.clone(),
        name: owner.name.clone(),
        uid: owner.uid.clone(),
        controller: owner.controller,
        block_owner_deletion: owner.block_owner_deletion,
        ..OwnerReference::default()
    }
}

fn some<T: Clone>(value: &T, is_empty: bool) -> Option<T> {
    (!is_empty).then(|| value.clone())
}

fn list<T, V>(elements: &[T], convert: fn(&T) -> V) -> Option<Vec<V>> {
    (!elements.is_empty()).then(|| elements.iter().map(convert).collect())
}
