#![no_main]

#[path = "../checks/json.rs"]
mod json;

libfuzzer_sys::fuzz_target!(|input: &[u8]| json::check(input));
