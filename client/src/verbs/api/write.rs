//! The verbs that create, change and delete objects.

use super::{Api, STATUS};
use crate::Resource;
use crate::request::http_request::Verb;
use crate::verbs::call::{APPLY, JSON};
use crate::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest,
    PatchTarget, ReplaceRequest,
};

impl<K: Resource> Api<K> {
    /// Creates an object and returns the stored object, with the server's defaults.
    ///
    /// `metadata.name` is the name, or `metadata.generate_name` the prefix of a generated name.
    ///
    /// # Errors
    /// - [`is_already_exists`](crate::Error::is_already_exists) if an object with this name exists.
    /// - [`is_invalid`](crate::Error::is_invalid) with the invalid fields in [`causes`](crate::Error::causes).
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to create.
    /// - [`may_have_taken_effect`](crate::Error::may_have_taken_effect) if the connection broke, for example: the object may have been
    ///   created.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::api::v1;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client, level: v1::PriorityLevelConfiguration) -> Result<(), k8s_flowcontrol::Error> {
    /// match client.priority_level_configurations().create(&level).await {
    ///     Ok(created) => println!("created at {:?}", created.metadata.resource_version),
    ///     Err(error) if error.is_already_exists() => println!("exists already"),
    ///     Err(error) => {
    ///         for cause in error.causes() {
    ///             println!("{:?}: {:?}", cause.field, cause.message);
    ///         }
    ///         return Err(error);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(&self, object: &K) -> CreateRequest<K> {
        let call = self.call(Verb::Create, |collection| collection.in_one_namespace());
        CreateRequest {
            call: call.object(JSON, &self.codecs, object),
            codecs: self.codecs.clone(),
        }
    }

    /// Replaces the object with the same name, except for its status, and returns the stored object.
    ///
    /// If `metadata.resource_version` is set, the server rejects the request after a concurrent change. If it is unset, the
    /// object is replaced unconditionally. [`update_with`](Self::update_with) reads, changes and replaces, and repeats that
    /// on conflict. See [updates].
    ///
    /// # Errors
    /// - [`is_conflict`](crate::Error::is_conflict) if the object has changed since `resource_version`.
    /// - [`is_not_found`](crate::Error::is_not_found) if the object does not exist.
    /// - [`is_invalid`](crate::Error::is_invalid) with the invalid fields in [`causes`](crate::Error::causes).
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to update.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let schemas = client.flow_schemas();
    /// let mut schema = schemas.get("mine").await?;
    /// schema.spec.matching_precedence = Some(900);
    /// let stored = schemas.replace(&schema).field_manager("me").await?;
    /// # drop(stored);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [updates]: https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update
    pub fn replace(&self, object: &K) -> ReplaceRequest<K> {
        self.put(object, None)
    }

    /// Changes parts of an object. The methods of [`PatchTarget`] choose between JSON patch, merge patch, strategic merge
    /// patch and server-side apply.
    ///
    /// # Errors
    /// - [`is_not_found`](crate::Error::is_not_found) if the object does not exist.
    /// - [`is_invalid`](crate::Error::is_invalid) if the patch cannot be applied, or the result is invalid.
    /// - [`is_conflict`](crate::Error::is_conflict) if the patch contains an outdated `metadata.resourceVersion`.
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to patch.
    /// - [`may_have_taken_effect`](crate::Error::may_have_taken_effect) if the connection broke, for example: the patch may have been
    ///   applied.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// use serde_json::json;
    ///
    /// let patch = json!({"metadata": {"labels": {"team": "a"}}});
    /// let patched = client.flow_schemas().patch("mine").merge(&patch).await?;
    /// # drop(patched);
    /// # Ok(())
    /// # }
    /// ```
    pub fn patch(&self, name: &str) -> PatchTarget<K> {
        self.patch_target(name, None)
    }

    /// Creates or changes the object with the same name by [server-side apply], and returns the stored object.
    ///
    /// The field manager, which is [required](ApplyRequest::field_manager), owns the applied fields. Fields that it
    /// applied before and that `object` omits are removed, unless another manager owns them too. To apply a few fields
    /// only, start from [`K::partial`](Resource::partial): it is sent without the required fields that were not set.
    /// [`extract`](crate::ownership::extract) returns the fields that a manager has applied. Do not set
    /// `metadata.managed_fields`.
    ///
    /// # Errors
    /// - [`is_conflict`](crate::Error::is_conflict) if another manager owns a field with another value.
    ///   [`causes`](crate::Error::causes) lists the fields and managers; [`force`](ApplyRequest::force) takes the ownership.
    /// - [`is_invalid`](crate::Error::is_invalid) with the invalid fields in [`causes`](crate::Error::causes).
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to patch, or to create a missing object.
    /// - [`is_argument`](crate::Error::is_argument) without a field manager.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Resource;
    /// use k8s_flowcontrol::api::v1;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// // The shares alone: everything else stays with its owners.
    /// let mut level = v1::PriorityLevelConfiguration::partial("team-a");
    /// level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(20);
    /// let applied = client.priority_level_configurations().apply(&level).field_manager("me").await?;
    /// # drop(applied);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [server-side apply]: https://kubernetes.io/docs/reference/using-api/server-side-apply/
    pub fn apply(&self, object: &K) -> ApplyRequest<K> {
        self.apply_object(object, None)
    }

    /// Deletes an object.
    ///
    /// The result is a `Status`, or the object if finalizers keep it for now. Wait with
    /// [`wait_for`](Self::wait_for) and [`is_deleted`](crate::wait::is_deleted) until it is gone. Set [`precondition_uid`](DeleteRequest::precondition_uid) to protect
    /// a later object with the same name.
    ///
    /// # Errors
    /// - [`is_not_found`](crate::Error::is_not_found) if the object does not exist.
    /// - [`is_conflict`](crate::Error::is_conflict) if a precondition fails.
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to delete.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let deleted = client.flow_schemas().delete("mine").dry_run().await?;
    /// # drop(deleted);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete(&self, name: &str) -> DeleteRequest<K> {
        DeleteRequest::new(
            self.object_call(Verb::Delete, name, None),
            self.codecs.clone(),
        )
    }

    /// Deletes an object that may be missing: `None` if it does not exist.
    ///
    /// # Errors
    /// As [`delete`](Self::delete), except for the missing object. A version that the server does not serve is an error.
    pub fn delete_if_exists(&self, name: &str) -> DeleteIfExistsRequest<K> {
        let DeleteRequest { call, codecs, .. } = self.delete(name);
        DeleteIfExistsRequest::new(call, codecs)
    }

    /// Deletes all objects, or those matching selectors.
    ///
    /// The server deletes the objects one by one. After an error some of them may be deleted. Servers recreate the mandatory
    /// objects (`exempt`, `catch-all`) and the suggested ones.
    ///
    /// # Errors
    /// - [`is_bad_request`](crate::Error::is_bad_request) for an invalid selector.
    /// - [`is_forbidden`](crate::Error::is_forbidden) without the permission to delete collections.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// client.flow_schemas().delete_collection().label_selector("team=a").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_collection(&self) -> DeleteCollectionRequest<K> {
        let call = self.call(Verb::DeleteCollection, |collection| {
            collection.in_one_namespace()
        });
        DeleteCollectionRequest::new(call, self.codecs.clone())
    }

    /// Replaces only the status of an object, as [`replace`](Self::replace).
    pub fn replace_status(&self, object: &K) -> ReplaceRequest<K> {
        self.put(object, STATUS)
    }

    /// Changes parts of the status of an object, as [`patch`](Self::patch).
    pub fn patch_status(&self, name: &str) -> PatchTarget<K> {
        self.patch_target(name, STATUS)
    }

    /// Applies the status of an object by server-side apply, as [`apply`](Self::apply).
    pub fn apply_status(&self, object: &K) -> ApplyRequest<K> {
        self.apply_object(object, STATUS)
    }

    fn put(&self, object: &K, subresource: Option<&str>) -> ReplaceRequest<K> {
        let call = self.object_call(Verb::Update, object.name(), subresource);
        let mut call = call.object(JSON, &self.codecs, object);
        let version = object.metadata().resource_version.as_deref();
        let guarded = version.is_some_and(|version| !version.is_empty());
        call.change(|request| request.guarded = guarded);
        ReplaceRequest {
            call,
            codecs: self.codecs.clone(),
        }
    }

    fn patch_target(&self, name: &str, subresource: Option<&str>) -> PatchTarget<K> {
        PatchTarget {
            call: self.object_call(Verb::Patch, name, subresource),
            codecs: self.codecs.clone(),
        }
    }

    fn apply_object(&self, object: &K, subresource: Option<&str>) -> ApplyRequest<K> {
        let call = self.object_call(Verb::Patch, object.name(), subresource);
        ApplyRequest {
            call: call.object(APPLY, &self.codecs, object),
            codecs: self.codecs.clone(),
        }
    }
}
