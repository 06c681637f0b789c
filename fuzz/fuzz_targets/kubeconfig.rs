//! Kubeconfig text: a configuration or an error, never a panic.
#![no_main]

use k8s_flowcontrol::config::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Config::from_kubeconfig_text(text) {
        Ok(config) => drop(format!("{config:?}")),
        Err(error) => drop(error.to_string()),
    }
});
