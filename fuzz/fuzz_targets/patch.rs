#![no_main]

#[path = "../checks/patch.rs"]
mod patch;

libfuzzer_sys::fuzz_target!(|input: &[u8]| patch::check(input));
