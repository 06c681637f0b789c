//! The torture server: our client passes its modes, and it finds what other clients do wrong.

mod modes;
mod ours;
mod rules;
