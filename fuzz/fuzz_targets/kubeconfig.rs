#![no_main]

#[path = "../checks/kubeconfig.rs"]
mod kubeconfig;

libfuzzer_sys::fuzz_target!(|input: &[u8]| kubeconfig::check(input));
