//! Custom resources from Rust types: the type first, and its CustomResourceDefinition from it.
//!
//! [`custom_resource!`](crate::custom_resource), [`custom_object!`](crate::custom_object) and
//! [`custom_enum!`](crate::custom_enum) declare types that are everything that generated types are: the client, watchers, stores and
//! the embedded server support them, and they keep unknown fields. [`definition`] returns the CustomResourceDefinition. Where a
//! definition exists already, the generator makes the types from it instead.
//!
//! ```
//! use k8s_flowcontrol_types::schema::ResourceSchema;
//! use k8s_flowcontrol_types::{Resource, custom, custom_enum, custom_object, custom_resource};
//!
//! custom_resource! {
//!     /// A guard who stands at a post while a lease is held.
//!     pub struct Guard {
//!         group: "watch.example.com",
//!         version: "v1",
//!         kind: "Guard",
//!         plural: "guards",
//!         namespaced: true,
//!         spec: GuardSpec,
//!         status: GuardStatus,
//!     }
//! }
//!
//! custom_object! {
//!     /// The place of the guard.
//!     pub struct GuardSpec {
//!         /// The post.
//!         "post" => pub post: Post,
//!         /// How long the guard stays, in seconds.
//!         "seconds" => pub seconds: Option<i32>: minimum("1") maximum("86400") default("3600"),
//!         /// The names of the users who may pass.
//!         "passes" => pub passes: Vec<String>: set,
//!     }
//! }
//!
//! custom_object! {
//!     /// The state of the guard.
//!     pub struct GuardStatus {
//!         /// Whether the guard is there.
//!         "onDuty" => pub on_duty: Option<bool>,
//!     }
//! }
//!
//! custom_enum! {
//!     /// A post.
//!     pub enum Post {
//!         /// The gate.
//!         Gate = "Gate",
//!         /// The tower.
//!         Tower = "Tower",
//!     }
//! }
//!
//! /// For `ApiServer::builder().serve(RESOURCES)`.
//! pub static RESOURCES: &[ResourceSchema] = &[k8s_flowcontrol_types::resource::resource_schema::<Guard>()];
//!
//! let mut guard = Guard::partial("ada");
//! guard.spec.post = Post::Gate;
//! assert_eq!(serde_json::to_value(&guard)?["spec"], serde_json::json!({"post": "Gate"}));
//!
//! let definition = custom::definition::<Guard>()?;
//! assert_eq!(definition["metadata"]["name"], "guards.watch.example.com");
//! let seconds = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["seconds"];
//! assert_eq!(seconds["maximum"], 86400);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod declare;
mod definition;

pub use definition::{Inexpressible, definition};
