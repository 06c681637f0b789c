#![no_main]

#[path = "../checks/load.rs"]
mod load;

libfuzzer_sys::fuzz_target!(|input: &[u8]| load::check(input));
