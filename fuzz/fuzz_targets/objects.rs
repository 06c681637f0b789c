#![no_main]

#[path = "../checks/objects.rs"]
mod objects;

libfuzzer_sys::fuzz_target!(|input: &[u8]| objects::check(input));
