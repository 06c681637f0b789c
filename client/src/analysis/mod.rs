//! What a server makes of a configuration, computed offline: seats, queues, matching, and advice.
//!
//! - [`limits`]: how many seats each priority level gets, lends and borrows.
//! - [`sharding`]: which queues a flow is dealt, and how well flows are kept apart.
//! - [`matching`]: which flow schema and priority level take a request, and why.
//! - [`lint`]: what a server accepts and a person regrets.
//!
//! Everything takes [`v1`](crate::api::v1) objects; those of other versions are converted first. A
//! server's answer depends on its [`Release`](crate::Release), so every entry takes one.

pub mod limits;
pub mod lint;
pub mod matching;
pub mod sharding;

mod objects;
