//! Diagnoses of a recorded server, and of made-up ones.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod apart;
mod cases;
mod checks;
mod closed;
mod flows;
mod hostile;
mod log;
mod machine;
mod moments;
mod past;
mod recorded;
mod samples;
mod several;
mod support;
