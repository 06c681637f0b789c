#![no_main]

#[path = "../checks/yaml.rs"]
mod yaml;

libfuzzer_sys::fuzz_target!(|input: &[u8]| yaml::check(input));
