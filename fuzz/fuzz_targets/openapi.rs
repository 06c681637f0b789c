#![no_main]

#[path = "../checks/openapi.rs"]
mod openapi;

libfuzzer_sys::fuzz_target!(|input: &[u8]| openapi::check(input));
