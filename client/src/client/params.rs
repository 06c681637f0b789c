//! Query parameters: their values, and the setters that several requests have in common.

use std::fmt;

/// How a list takes the resource version that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResourceVersionMatch {
    /// Exactly that state; 410 once it is too old.
    Exact,
    /// That state or a newer one.
    NotOlderThan,
}

impl ResourceVersionMatch {
    /// The value on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "Exact",
            Self::NotOlderThan => "NotOlderThan",
        }
    }
}

impl fmt::Display for ResourceVersionMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Declares setters: each is one sentence of documentation, a method and the query parameter that it sets.
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
        $crate::client::params::setters!($builder {
            /// Asks for indented JSON. Makes no difference to the decoded value.
            pretty(pretty: bool) => "pretty" = pretty.to_string();
        });
    };
}

/// The setters of requests that select objects of a collection.
macro_rules! selection_setters {
    ($builder:ident) => {
        $crate::client::params::setters!($builder {
            /// Keeps only objects whose labels fit, in kubectl's notation: `team=a,tier in (x,y),!old`.
            label_selector(selector: impl Into<String>) => "labelSelector" = selector;
            /// Keeps only objects whose fields have these values, such as `metadata.name=exempt`.
            ///
            /// The kinds of this group know `metadata.name` and `metadata.namespace`; any other is answered with 400.
            field_selector(selector: impl Into<String>) => "fieldSelector" = selector;
            /// The most objects in one answer; 0 means no limit, as does leaving it out.
            limit(limit: u32) => "limit" = limit.to_string();
            /// The token of the page before, from its `metadata.continue`.
            ///
            /// Goes with the same selectors and without a resource version. An expired one is answered with 410
            /// ([`Error::is_expired`](crate::Error::is_expired)).
            continue_token(token: impl Into<String>) => "continue" = token;
            /// How new the state must be; see [`resource_version_match`](Self::resource_version_match).
            ///
            /// For a list nothing means the newest state, and `0` whatever the server has at hand. A watch reports what
            /// came after that version; without one, and with `0`, it begins with the objects that exist.
            resource_version(version: impl Into<String>) => "resourceVersion" = version;
            /// How the resource version is taken; needs one.
            resource_version_match(how: $crate::client::ResourceVersionMatch) => "resourceVersionMatch" = how.as_str();
            /// Seconds after which the server ends the request.
            ///
            /// Without it a watch runs for 30 to 60 minutes, chosen at random by the server.
            timeout_seconds(seconds: u32) => "timeoutSeconds" = seconds.to_string();
            /// Keeps only objects whose hash falls into a range, so that several clients share a collection:
            /// `shardRange(object.metadata.uid, '0x0', '0x8000000000000000')`.
            ///
            /// Kubernetes 1.36, alpha: the server needs the feature gate `ShardedListAndWatch`.
            shard_selector(selector: impl Into<String>) => "shardSelector" = selector;
        });
    };
}

/// The setters of writes other than deletes.
macro_rules! write_setters {
    ($builder:ident) => {
        $crate::client::params::setters!($builder {
            /// Has the server check and answer everything as usual, but store nothing.
            dry_run() => "dryRun" = "All";
            /// What the server does about members that it does not know or finds twice.
            ///
            /// Not told, it drops them and warns, see [`Response::warnings`](crate::client::Response::warnings).
            field_validation(validation: $crate::client::FieldValidation) => "fieldValidation" = validation.as_str();
            /// The name under which the server books the fields that this request sets.
            ///
            /// At most 128 bytes. Required by apply; otherwise it defaults to the first part of the user agent.
            field_manager(manager: impl Into<String>) => "fieldManager" = manager;
        });
    };
}

/// The setter of writes that carry a whole object.
macro_rules! loss_setter {
    ($builder:ident) => {
        impl<K: $crate::Resource> $builder<K> {
            /// Sends the object even if the version on the wire cannot say all of it.
            ///
            /// Only matters through [`Negotiated`](crate::client::Negotiated), which otherwise refuses with an error that
            /// [`is_lossy`](crate::Error::is_lossy).
            pub fn allow_loss(mut self) -> Self {
                self.call.allow_loss();
                self
            }
        }
    };
}

pub(crate) use {loss_setter, pretty_setter, selection_setters, setters, write_setters};
