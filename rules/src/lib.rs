//! The behaviour of a Kubernetes API server for API Priority and Fairness, offline.
//!
//! | module | content |
//! |---|---|
//! | [`decode`] | JSON and YAML text to objects, with strict field validation |
//! | [`defaults`] | the defaults a server fills in |
//! | [`conversion`] | the object a server shows in another version |
//! | [`validate`] | violations, or the whole response of a server |
//! | [`limits`] | the seats each priority level gets, lends and borrows |
//! | [`sharding`] | the queues a flow is dealt, and how well flows are kept apart |
//! | [`matching`] | the FlowSchema and priority level that take a request, and why |
//! | [`lint`] | advice on objects that a server accepts |
//! | [`bootstrap`] | the objects every server creates itself |
//! | [`storage`] | the hash that names the version in which objects are stored |
//! | [`dumps`] | a server's debug dumps and flow headers |
//!
//! Nothing here does I/O. The behaviour depends on the server's [`Release`](k8s_flowcontrol_types::Release), so every entry
//! takes one. Applications depend on `k8s-flowcontrol` with the feature `rules`, which re-exports this crate.

pub mod bootstrap;
pub mod conversion;
pub mod decode;
pub mod defaults;
pub mod dumps;
pub mod limits;
pub mod lint;
pub mod matching;
mod objects;
pub mod sharding;
pub mod storage;
pub mod validate;
