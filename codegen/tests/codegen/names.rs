//! The Rust names of fields, types, variants and modules.

#![allow(clippy::panic, clippy::unwrap_used)]

use crate::plain::{check, document, read};
use k8s_flowcontrol_codegen::Generator;

/// The Rust names of an object's fields.
fn fields(names: &[&str]) -> Vec<String> {
    let property = |name: &&str| format!(r#""{name}": {{ "type": "string" }}"#);
    let properties: Vec<String> = names.iter().map(property).collect();
    let (text, _) = read(&format!(
        r#"{{ "A": {{ "type": "object", "properties": {{ {} }} }} }}"#,
        properties.join(", ")
    ));
    let rust = |name: &&str| {
        let start = format!("{name:?} => ");
        let mut lines = text.lines().map(str::trim_start);
        let found = lines.find_map(|line| line.strip_prefix(&start));
        let found = found.unwrap_or_else(|| panic!("no {name} in:\n{text}"));
        found.split([',', ':']).next().unwrap().to_owned()
    };
    names.iter().map(rust).collect()
}

#[test]
fn fields_have_words_and_are_no_keywords() {
    for (wire, rust) in [
        ("nonResourceURLs", "non_resource_urls"),
        ("podIPs", "pod_ips"),
        (
            "serverAddressByClientCIDRs",
            "server_address_by_client_cidrs",
        ),
        ("podCIDRsPerNode", "pod_cidrs_per_node"),
        ("clusterIP", "cluster_ip"),
        ("fsType", "fs_type"),
        ("URLs", "urls"),
        ("type", "r#type"),
        ("self", "self_"),
        ("unknown", "unknown_"),
    ] {
        assert_eq!(fields(&[wire]), [rust]);
    }
}

#[test]
fn of_fields_with_one_name_the_plain_spelling_has_it() {
    for (wire, rust) in [
        (vec!["Box", "box"], vec!["box_2", "r#box"]),
        (vec!["xY", "x_y", "x-y"], vec!["x_y_2", "x_y", "x_y_3"]),
        (vec!["Default", "default"], vec!["default_2", "default"]),
        (vec!["aB", "a_b", "a-b-2"], vec!["a_b_3", "a_b", "a_b_2"]),
        (vec!["aB", "a_b", "a_b_2"], vec!["a_b_3", "a_b", "a_b_2"]),
    ] {
        assert_eq!(fields(&wire), rust);
    }
}

#[test]
fn types_of_elements_are_in_the_singular() {
    for (plural, one) in [
        ("hostContainers", "HostContainer"),
        ("hostPolicies", "HostPolicy"),
        ("hostAddresses", "HostAddress"),
        ("hostAliases", "HostAlias"),
        ("hostDatabases", "HostDatabase"),
        ("hostStatus", "HostStatus"),
        ("hostTls", "HostTls"),
        ("hostIPs", "HostIps"),
    ] {
        let (text, _) = read(&format!(
            r#"{{ "A": {{ "type": "object", "properties": {{ "{plural}": {{ "type": "array", "items": {{
                "type": "object", "properties": {{ "x": {{ "type": "string" }} }} }} }} }} }} }}"#
        ));
        check(&text, &[&format!(": Vec<{one}>,")]);
    }
}

#[test]
fn every_value_has_a_variant_of_its_own() {
    for values in [
        vec![("True", "True"), ("UnknownStatus", "Unknown")],
        vec![("All", "*"), ("Empty", ""), ("Get", "get")],
        vec![
            ("SigrtminPlus1", "SIGRTMIN+1"),
            ("SigrtminDash1", "SIGRTMIN-1"),
        ],
        vec![("Value10", "1.0"), ("SelfValue", "Self"), ("NotNot", "!!")],
        vec![
            ("Get3", "get"),
            ("Get", "Get"),
            ("Get2", "Get2"),
            ("Get4", "GET"),
        ],
    ] {
        let all: Vec<String> = values
            .iter()
            .map(|(_, value)| format!("{value:?}"))
            .collect();
        let (text, _) = read(&format!(
            r#"{{ "ConditionStatus": {{ "type": "string", "enum": [{}] }} }}"#,
            all.join(", ")
        ));
        for (variant, value) in values {
            check(&text, &[&format!("        {variant} = {value:?},\n")]);
        }
    }
}

#[test]
fn documents_name_their_modules() {
    let schemas = document(r#"{ "A": { "type": "object", "properties": { "a": {} } } }"#);
    for (name, module) in [
        ("v1.json", "v1.rs"),
        ("my-types.json", "my_types.rs"),
        ("type.json", "type_.rs"),
    ] {
        let generator = Generator::new().plain().document(name, &schemas).unwrap();
        assert_eq!(generator.generate().unwrap().files[0].0, module);
    }
}
