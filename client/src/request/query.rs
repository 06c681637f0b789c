//! Query parameters, and the setters shared by several requests.

use k8s_flowcontrol_types::__named as named;

named! {
    /// The interpretation of a list's [`resource version`], see [the rules].
    ///
    /// [`resource version`]: crate::client::ListRequest::resource_version
    /// [the rules]: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ResourceVersionMatch {
        /// Exactly this state. The server responds with 410 if it has expired.
        Exact = "Exact",
        /// This state or a newer state.
        NotOlderThan = "NotOlderThan",
    }
    /// The value on the wire.
    pub fn as_str;
}

/// Declares setters: documentation, a method, and its query parameter.
macro_rules! setters {
    ($builder:ident {
        $($(#[$attribute:meta])* $method:ident($($argument:ident: $type:ty)?) => $parameter:literal = $value:expr;)*
    }) => {
        impl<K: $crate::Resource> $builder<K> {
            $($(#[$attribute])*
            pub fn $method(mut self $(, $argument: $type)?) -> Self {
                self.call.set($parameter, $value);
                self
            })*
        }
    };
}

/// The setter of every request about a kind.
macro_rules! pretty_setter {
    ($builder:ident) => {
        $crate::request::query::setters!($builder {
            /// Requests indented JSON. The decoded value is the same.
            pretty(pretty: bool) => "pretty" = pretty.to_string();
        });
    };
}

/// The setters of requests that select objects of a collection.
macro_rules! selection_setters {
    ($builder:ident) => {
        $crate::request::query::setters!($builder {
            /// Restricts the objects by their labels, in kubectl's notation: `team=a,tier in (x,y),!old`.
            label_selector(selector: impl Into<String>) => "labelSelector" = selector;
            /// Restricts the objects by their fields, such as `metadata.name=exempt`.
            ///
            /// The kinds of this group support `metadata.name` and `metadata.namespace`. Any other field is an error (400).
            field_selector(selector: impl Into<String>) => "fieldSelector" = selector;
            /// The maximum number of objects in the response. Defaults to 0, no limit.
            limit(limit: u32) => "limit" = limit.to_string();
            /// Continues a list after the page with this token in `metadata.continue`.
            ///
            /// Requires the same selectors, and no resource version. An expired token is an error (410,
            /// [`Error::is_expired`](crate::Error::is_expired)).
            continue_token(token: impl Into<String>) => "continue" = token;
            /// The state to read, or to watch from. See [resource versions].
            ///
            /// Unset, a list reads the newest state; with `0` it reads any state in the server's cache; otherwise
            /// [`resource_version_match`](Self::resource_version_match) applies. A watch reports the changes after this
            /// version; unset or with `0`, it begins with the existing objects.
            ///
            /// [resource versions]: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
            resource_version(version: impl Into<String>) => "resourceVersion" = version;
            /// The interpretation of the resource version, which is required.
            resource_version_match(how: $crate::request::query::ResourceVersionMatch) => "resourceVersionMatch" = how.as_str();
            /// The seconds after which the server ends the request.
            ///
            /// Defaults for a watch to a random time from 30 to 60 minutes.
            timeout_seconds(seconds: u32) => "timeoutSeconds" = seconds.to_string();
            /// Restricts the objects to a range of hashes, so that several clients can share a collection:
            /// `shardRange(object.metadata.uid, '0x0', '0x8000000000000000')`.
            ///
            /// Requires Kubernetes 1.36 with the alpha feature gate `ShardedListAndWatch`.
            shard_selector(selector: impl Into<String>) => "shardSelector" = selector;
        });
    };
}

/// The setters of writes other than deletes.
macro_rules! write_setters {
    ($builder:ident) => {
        $crate::request::query::setters!($builder {
            /// Makes the server process the request as usual, but not store anything.
            dry_run() => "dryRun" = "All";
            /// The handling of unknown and duplicate fields.
            ///
            /// By default the server drops them and [warns](crate::client::Response::warnings).
            field_validation(validation: $crate::FieldValidation) => "fieldValidation" = validation.as_str();
            /// The [field manager] that owns the fields set by this request, at most 128 bytes.
            ///
            /// Required by apply. Otherwise it defaults to the first part of the user agent.
            ///
            /// [field manager]: https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers
            field_manager(manager: impl Into<String>) => "fieldManager" = manager;
        });
    };
}

/// The setter of writes that carry a whole object.
macro_rules! loss_setter {
    ($builder:ident) => {
        impl<K: $crate::Resource> $builder<K> {
            /// Sends the object even if the server's API version cannot express all of its fields.
            ///
            /// Has an effect only through [`Negotiated`](crate::client::Negotiated), which otherwise fails with an
            /// error for which
            /// [`is_lossy`](crate::Error::is_lossy) is true.
            pub fn allow_loss(mut self) -> Self {
                self.call.allow_loss();
                self
            }
        }
    };
}

pub(crate) use {loss_setter, pretty_setter, selection_setters, setters, write_setters};
