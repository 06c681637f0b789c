//! The server's rules, on recorded servers, made-up objects and at random.

mod convert;
mod decode;
mod queueing;
mod runtime;
mod seats;
mod upgrade;
mod validate;
mod wire;
