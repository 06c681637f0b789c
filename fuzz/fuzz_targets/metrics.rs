#![no_main]

#[path = "../checks/metrics.rs"]
mod metrics;

libfuzzer_sys::fuzz_target!(|input: &[u8]| metrics::check(input));
