//! The output of the program: help, errors and what the README shows, word for word; JSON; comments for merge requests.

mod commands;
mod comments;
mod examples;
mod json;
mod proofs;
mod sessions;
