#![no_main]

#[path = "../checks/audit.rs"]
mod audit;

libfuzzer_sys::fuzz_target!(|input: &[u8]| audit::check(input));
