#![no_main]

#[path = "../checks/generated.rs"]
mod generated;

libfuzzer_sys::fuzz_target!(|input: &[u8]| generated::check(input));
