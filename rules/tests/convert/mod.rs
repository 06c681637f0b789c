//! Conversion and defaults: recorded servers, the table of losses, and properties.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at what it does not expect"
)]

mod defaults;
mod kinds;
mod known_fields;
mod lists;
mod losses;
mod properties;
mod recorded;
mod strategies;
