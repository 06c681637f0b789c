//! Deleting an object or many.

use crate::client::call::{Call, sendable};
use crate::client::params::{common_setters, selection_setters, setters};
use crate::client::response::{Decoded, Response, kind_of};
use crate::client::wire::Wire;
use crate::meta::{DeleteOptions, Preconditions, PropagationPolicy, Status};
use crate::rt::json;
use crate::{Error, List, Resource};
use std::fmt;

/// What a delete answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Deleted<K> {
    /// The object: it is marked, and goes away when its finalizers are removed.
    Object(Box<K>),
    /// It is gone; `details` has its UID.
    Status(Box<Status>),
}

/// What the deletion of a collection answers.
#[derive(Clone, Debug, PartialEq)]
pub enum DeletedCollection<K> {
    /// The objects that were deleted or marked, which is what API servers answer.
    List(List<K>),
    /// A success without the objects, which is what the documents promise.
    Status(Box<Status>),
}

/// Declares the setters that both kinds of deletion have. What is said in a query parameter is said in the body
/// too, when there is one: a server that gets a body reads nothing else.
macro_rules! delete_builder {
    ($(#[$attribute:meta])* $builder:ident => $output:ty, |$call:ident| $send:expr) => {
        $(#[$attribute])*
        #[must_use = "a request does nothing until it is awaited or sent"]
        pub struct $builder<K: Resource> {
            pub(crate) call: Call<K>,
            options: DeleteOptions,
            has_body: bool,
        }

        common_setters!($builder);

        impl<K: Resource> $builder<K> {
            pub(crate) fn new(call: Call<K>) -> Self {
                Self { call, options: DeleteOptions::default(), has_body: false }
            }

            /// Has the server check and answer everything as usual, but delete nothing.
            pub fn dry_run(mut self) -> Self {
                self.call.set("dryRun", "All");
                self.options.dry_run = vec!["All".into()];
                self
            }

            /// Seconds that an object may take to stop; 0 means at once.
            ///
            /// The kinds of this group know no graceful deletion: without effect on them.
            pub fn grace_period_seconds(mut self, seconds: u32) -> Self {
                self.call.set("gracePeriodSeconds", seconds.to_string());
                self.options.grace_period_seconds = Some(seconds.into());
                self
            }

            /// What becomes of the objects that a deleted one owns.
            pub fn propagation_policy(mut self, policy: PropagationPolicy) -> Self {
                self.call.set("propagationPolicy", policy.as_str());
                self.options.propagation_policy = Some(policy);
                self
            }

            /// The old form of [`propagation_policy`](Self::propagation_policy): `true` is `Orphan`.
            ///
            /// A server refuses a request that has both.
            pub fn orphan_dependents(mut self, orphan: bool) -> Self {
                self.call.set("orphanDependents", orphan.to_string());
                self.options.orphan_dependents = Some(orphan);
                self
            }

            /// Deletes objects that the server cannot read any more, such as for a lost encryption key.
            ///
            /// Kubernetes 1.32, alpha. It skips finalizers and preconditions and may break what relies on the object.
            pub fn ignore_store_read_error_with_cluster_breaking_potential(mut self, ignore: bool) -> Self {
                self.call.set("ignoreStoreReadErrorWithClusterBreakingPotential", ignore.to_string());
                self.options.ignore_store_read_error_with_cluster_breaking_potential = Some(ignore);
                self
            }

            /// Deletes only an object with this UID: one of the same name made later is a conflict.
            ///
            /// Sent in a body.
            pub fn precondition_uid(mut self, uid: impl Into<String>) -> Self {
                self.preconditions().uid = Some(uid.into());
                self
            }

            /// Deletes only an object at this resource version: one changed meanwhile is a conflict.
            ///
            /// Sent in a body.
            pub fn precondition_resource_version(mut self, version: impl Into<String>) -> Self {
                self.preconditions().resource_version = Some(version.into());
                self
            }

            /// Sends these options as the body, in the place of what was set before.
            pub fn options(mut self, options: DeleteOptions) -> Self {
                self.options = options;
                self.has_body = true;
                self
            }

            fn preconditions(&mut self) -> &mut Preconditions {
                self.has_body = true;
                self.options.preconditions.get_or_insert_default()
            }

            /// The call with its body.
            pub(crate) fn finish(mut self) -> Call<K> {
                if !self.has_body {
                    return self.call;
                }
                self.options.api_version.get_or_insert_with(|| "v1".to_owned());
                self.options.kind.get_or_insert_with(|| "DeleteOptions".to_owned());
                let mut call = self.call.value("application/json", &self.options);
                let conditions = self.options.preconditions.as_ref();
                let is_set = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
                if conditions.is_some_and(|only| is_set(&only.uid) || is_set(&only.resource_version)) {
                    call.guard();
                }
                call
            }

            /// Sends the request; the answer comes with its status code, warnings and other headers.
            ///
            /// # Errors
            /// See [`Error`].
            pub async fn send(self) -> Result<Response<$output>, Error> {
                let $call = self.finish();
                $send
            }
        }

        impl<K: Resource> fmt::Debug for $builder<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut debug = f.debug_struct(stringify!($builder));
                debug.field("request", &self.call.request);
                if self.has_body {
                    debug.field("options", &self.options);
                }
                debug.finish()
            }
        }

        sendable!(@await $builder => $output);
    };
}

delete_builder! {
    /// Deletes an object, made by [`Api::delete`](crate::client::Api::delete).
    DeleteRequest => Deleted<K>, |call| {
        let what = format!("{} ({}) or Status", K::KIND, call.wire.version);
        call.send(what, deleted).await
    }
}

delete_builder! {
    /// Deletes many objects, made by [`Api::delete_collection`](crate::client::Api::delete_collection).
    DeleteCollectionRequest => DeletedCollection<K>, |call| {
        let what = format!("{}List ({}) or Status", K::KIND, call.wire.version);
        call.send(what, deleted_collection).await
    }
}

selection_setters!(DeleteCollectionRequest);

setters!(DeleteCollectionRequest {
    /// Documented for this request as for watches; without a meaning here.
    send_initial_events(send: bool) => "sendInitialEvents" = send.to_string();
});

fn deleted<K: Resource>(
    wire: &Wire<K>,
    body: &[u8],
) -> Result<Decoded<Deleted<K>>, serde_json::Error> {
    if is_status(body)? {
        return json::from_slice(body).map(|status| Deleted::Status(status).into());
    }
    let Decoded { value, losses } = (wire.decode)(body)?;
    Ok(Decoded {
        value: Deleted::Object(Box::new(value)),
        losses,
    })
}

fn deleted_collection<K: Resource>(
    wire: &Wire<K>,
    body: &[u8],
) -> Result<Decoded<DeletedCollection<K>>, serde_json::Error> {
    if is_status(body)? {
        return json::from_slice(body).map(|status| DeletedCollection::Status(status).into());
    }
    let Decoded { value, losses } = (wire.decode_list)(body)?;
    Ok(Decoded {
        value: DeletedCollection::List(value),
        losses,
    })
}

fn is_status(body: &[u8]) -> Result<bool, serde_json::Error> {
    Ok(kind_of(body)?.as_deref() == Some("Status"))
}
