//! The readers of JSON and YAML text: they never panic, and YAML is converted to valid JSON.
#![no_main]

use k8s_flowcontrol_text::{
    parse_json, parse_json_lines, parse_json_values, parse_yaml_documents, to_value, yaml_to_json,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(tree) = parse_json(text) {
        let _ = to_value(tree.root());
    }
    if let Ok(json) = yaml_to_json(text) {
        assert!(parse_json(json.as_bytes()).is_ok(), "{json}");
    }
    parse_json_lines(text);
    parse_json_values(text);
    parse_yaml_documents(text);
});
