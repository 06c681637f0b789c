#![no_main]

#[path = "../checks/watch_line.rs"]
mod watch_line;

libfuzzer_sys::fuzz_target!(|input: &[u8]| watch_line::check(input));
