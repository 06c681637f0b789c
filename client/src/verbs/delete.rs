//! Deleting one object or many.

use super::call::{Call, builder};
use super::delete_options::Options;
use crate::json;
use crate::meta::{DeleteOptions, PropagationPolicy, Status};
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{pretty_setter, selection_setters, setters};
use crate::response::decode::{Decoded, Decoder, if_found, is_status, not_failed};
use crate::{List, Resource};

/// The result of a delete.
#[derive(Clone, Debug, PartialEq)]
pub enum Deleted<K> {
    /// The object is marked for deletion, and is removed when its finalizers are removed.
    Object(Box<K>),
    /// The object is gone. `details` contains its UID.
    Status(Box<Status>),
}

/// The result of deleting a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum DeletedCollection<K> {
    /// The objects that were deleted or marked for deletion. API servers send this form.
    List(List<K>),
    /// A success without the objects. The OpenAPI documents describe this form.
    Status(Box<Status>),
}

builder! {
    /// Deletes an object, made by [`Api::delete`](crate::Api::delete).
    DeleteRequest<K: Resource> { codecs: Codecs<K>, chosen: Options }
    => Deleted<K>, |this| this.chosen.add_to(this.call).send_in(&this.codecs, decoder).await
}

builder! {
    /// Deletes an object that may be missing, made by
    /// [`Api::delete_if_exists`](crate::Api::delete_if_exists).
    DeleteIfExistsRequest<K: Resource> { codecs: Codecs<K>, chosen: Options }
    => Option<Deleted<K>>, |this| {
        if_found(this.chosen.add_to(this.call).send_in(&this.codecs, decoder).await)
    }
}

builder! {
    /// Deletes many objects, made by [`Api::delete_collection`](crate::Api::delete_collection).
    DeleteCollectionRequest<K: Resource> { codecs: Codecs<K>, chosen: Options }
    => DeletedCollection<K>, |this| {
        let decoder = |codec: Codec<K>| {
            let expected = format!("{} ({}) or Status", codec.resource.list_kind(), codec.version);
            codec.decoder(expected, move |body| deleted_collection(&codec, body))
        };
        this.chosen.add_to(this.call).send_in(&this.codecs, decoder).await
    }
}

/// Declares the setters of both deletions.
macro_rules! delete_setters {
    ($builder:ident) => {
        pretty_setter!($builder);

        impl<K: Resource> $builder<K> {
            pub(crate) fn new(call: Call, codecs: Codecs<K>) -> Self {
                let chosen = Options::default();
                Self {
                    call,
                    codecs,
                    chosen,
                }
            }

            /// Makes the server process the request as usual, but not delete anything.
            pub fn dry_run(self) -> Self {
                self.set(|options| options.dry_run = vec!["All".into()])
            }

            /// The seconds that an object may take to stop; 0 means immediately.
            ///
            /// Has no effect on the kinds of this group, because they do not support graceful deletion.
            pub fn grace_period_seconds(self, seconds: u32) -> Self {
                self.set(|options| options.grace_period_seconds = Some(seconds.into()))
            }

            /// The handling of the objects owned by a deleted one.
            pub fn propagation_policy(self, policy: PropagationPolicy) -> Self {
                self.set(|options| options.propagation_policy = Some(policy))
            }

            /// The deprecated form of [`propagation_policy`](Self::propagation_policy): `true` means `Orphan`.
            ///
            /// A request with both is an error (422).
            pub fn orphan_dependents(self, orphan: bool) -> Self {
                self.set(|options| options.orphan_dependents = Some(orphan))
            }

            /// Deletes objects that the server cannot read any more, for instance after the loss of an encryption key.
            ///
            /// Kubernetes 1.32, alpha. It skips finalizers and preconditions, and may break workloads.
            pub fn ignore_store_read_error_with_cluster_breaking_potential(
                self,
                ignore: bool,
            ) -> Self {
                self.set(|options| {
                    options.ignore_store_read_error_with_cluster_breaking_potential = Some(ignore)
                })
            }

            /// Deletes only the object with this UID. A later object with the same name is a conflict (409).
            ///
            /// Sent in the body.
            pub fn precondition_uid(self, uid: impl Into<String>) -> Self {
                self.set(|options| {
                    options.preconditions.get_or_insert_default().uid = Some(uid.into());
                })
            }

            /// Deletes the object only at this resource version. An object changed since is a conflict (409).
            ///
            /// Sent in the body.
            pub fn precondition_resource_version(self, version: impl Into<String>) -> Self {
                self.set(|options| {
                    options
                        .preconditions
                        .get_or_insert_default()
                        .resource_version = Some(version.into());
                })
            }

            /// Sends these options as the body, replacing earlier ones.
            ///
            /// The options set by the other methods, such as [`dry_run`](Self::dry_run), are added, in whichever order the
            /// methods are called. If both set a field to different values, the request is an error
            /// ([`is_argument`](crate::Error::is_argument)), and nothing is sent.
            pub fn options(mut self, options: DeleteOptions) -> Self {
                self.chosen.pass(options);
                self
            }

            fn set(mut self, change: impl FnOnce(&mut DeleteOptions)) -> Self {
                self.chosen.set(change);
                self
            }
        }
    };
}

delete_setters!(DeleteRequest);
delete_setters!(DeleteIfExistsRequest);
delete_setters!(DeleteCollectionRequest);
selection_setters!(DeleteCollectionRequest);

setters!(DeleteCollectionRequest {
    /// Documented for this request as for watches; has no effect here.
    send_initial_events(send: bool) => "sendInitialEvents" = send.to_string();
});

fn decoder<K: Resource>(codec: Codec<K>) -> Decoder<Deleted<K>> {
    let expected = format!("{} ({}) or Status", codec.resource.kind(), codec.version);
    codec.decoder(expected, move |body| deleted(&codec, body))
}

fn deleted<K: Resource>(
    codec: &Codec<K>,
    body: &[u8],
) -> Result<Decoded<Deleted<K>>, serde_json::Error> {
    if is_status(body)? {
        not_failed(body)?;
        return json::from_slice(body).map(|status| Deleted::Status(status).into());
    }
    let Decoded { value, losses } = codec.decode(body)?;
    Ok(Decoded {
        value: Deleted::Object(Box::new(value)),
        losses,
    })
}

fn deleted_collection<K: Resource>(
    codec: &Codec<K>,
    body: &[u8],
) -> Result<Decoded<DeletedCollection<K>>, serde_json::Error> {
    if is_status(body)? {
        not_failed(body)?;
        return json::from_slice(body).map(|status| DeletedCollection::Status(status).into());
    }
    let Decoded { value, losses } = codec.decode_list(body)?;
    Ok(Decoded {
        value: DeletedCollection::List(value),
        losses,
    })
}
