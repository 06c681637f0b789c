#![no_main]

#[path = "../checks/migrate.rs"]
mod migrate;

libfuzzer_sys::fuzz_target!(|input: &[u8]| migrate::check(input));
