//! Files that name old versions for a reason: one note stands for all findings.

use super::{examined, write};
use k8s_flowcontrol_manifests::Finding;
use k8s_flowcontrol_types::ApiVersion;
use std::path::Path;

const GENERATED: &str = "generated code names";
const LIST: &str = "a list of versions names";
const TYPES: &str = "types of old versions are defined here";
const INTERFACE: &str = "an interface with clients of all versions";

/// The findings about a file of a folder.
fn findings(root: &Path, path: &str) -> Vec<Finding> {
    let mut files = examined(root, ApiVersion::V1).into_iter();
    let file = files.find(|file| file.candidate.real == root.join(path));
    file.map_or_else(Vec::new, |file| file.outcome.findings)
}

/// Whether a file has one finding, which begins with the reason.
fn has_reason(path: &str, text: &str, reason: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write(&root, path, text);
    let found = findings(&root, path);
    assert!(!found.is_empty(), "{path}: {text}");
    found.len() == 1 && found[0].message.starts_with(reason)
}

#[test]
fn catalogs_and_complete_lists() {
    let group = "flowcontrol.apiserver.k8s.io";
    for text in [
            format!("\"{group}/v1beta1\": \"1.26\",\n\"{group}/v1beta2\": \"1.29\",\n"),
            format!("removed = {{\n  \"old\": [\"{group}/v1beta1\"],\n  \"new\": \"{group}/v1beta3\",\n  \"since\": \"1.26\",\n}}\n"),
            format!("(\"{group}/v1beta2\", \"flowschema\"): Removal((1, 29), \"{group}/v1\"),\n"),
            format!("// Deprecated.\n{{Group: \"{group}\", Version: \"v1beta3\", Removed: release{{Minor: 32}}}},\n"),
            format!("a(\"{group}/v1beta1\")\na(\"{group}/v1beta2\")\na(\"{group}/v1\")\n"),
            format!("removed = {{\n  {{\"{group}\", \"v1alpha1\"}}: 21,\n  {{\"{group}\", \"v1beta2\"}}:  29,\n}}\n"),
            format!("\"1.31->1.32\": {{\n\tremovedGates: {{\n\t\t\"A\",\n\t\t\"B\",\n\t\t\"C\",\n\t}},\n\tremovedResources: {{\n\t\t\"flowschemas.v1beta3.{group}\",\n\t}},\n}},\n"),
            "impl Convert<flowcontrol::v1::FlowSchema> for flowcontrol::v1beta1::FlowSchema {}\n\n\n\n\n\nimpl Convert<flowcontrol::v1::FlowSchema> for flowcontrol::v1beta2::FlowSchema {}\n".to_owned(),
            "a \"k8s.io/api/flowcontrol/v1alpha1\"\nb \"k8s.io/api/flowcontrol/v1beta1\"\nc \"k8s.io/api/flowcontrol/v1beta2\"\n".to_owned(),
            format!("{}\n\n\n\n\n\n\n\n\n\nlet old = flowcontrol::v1beta3::FlowSchema {{}};\n", "impl Convert<flowcontrol::v1::FlowSchema> for flowcontrol::v1beta2::FlowSchema {}\n\nimpl Convert<flowcontrol::v1::FlowSchema> for flowcontrol::v1beta3::FlowSchema {}\n".repeat(2)),
            format!("input.apiVersion == \"{group}/v1beta1\"\nmsg := sprintf(\"API {group}/v1beta1 for %s is deprecated\", [input.kind])\n"),
            format!("used: '/apis/{group}/v1beta3/flowschemas',\nreplacement: '/apis/{group}/flowschemas',\n"),
            "one \"k8s.io/api/flowcontrol/v1\"\ntwo \"k8s.io/api/flowcontrol/v1beta2\"\nthree \"k8s.io/api/flowcontrol/v1beta3\"\n".to_owned(),
    ] {
        assert!(has_reason("a.go", &text, LIST), "{text}");
    }
    for text in [
        format!("const old = \"{group}/v1beta2\"\n"),
        format!(
            "get('/apis/{group}/v1beta3/flowschemas')\n// A replacement of {group}/v1beta1 follows.\n"
        ),
        format!("\"{group}/v1beta2\": \"1.26\",\n"),
        format!("version = \"1.29\"\n\n\n\n\nuse(\"{group}/v1beta2\")  // deprecated\n"),
        format!("removed(\"{group}/v1beta2\", \"1.29\")\n\n\n\n\n\ncreate(\"{group}/v1beta3\")\n"),
        format!("a(\"{group}/v1beta2\")\na(\"{group}/v1\")\n"),
        format!("a(\"{group}/v1beta1\")\na(\"{group}/v1beta2\")\na(\"{group}/v1beta3\")\n"),
        "a \"k8s.io/api/flowcontrol/v1beta1\"\nb \"k8s.io/api/flowcontrol/v1beta2\"\n".to_owned(),
        format!("removed = {{\n  {{\"{group}\", \"v1beta2\"}}: 30,\n}}\n"),
        format!("convert(\"{group}/v1beta2\", \"{group}/v1\")\n"),
        format!("\"1.29\": {{\n\tadded: {{\n\t\t\"{group}/v1beta3\",\n\t}},\n}},\n"),
    ] {
        assert!(!has_reason("a.go", &text, LIST), "{text}");
    }
}

#[test]
fn files_of_client_libraries() {
    let text = "client.FlowcontrolV1beta2().FlowSchemas()\n";
    for path in [
        "client/models/v1beta1_flow_schema.pyi",
        "src/main/java/V1beta3PriorityLevelConfigurationList.java",
        "_schemas/IoK8sApiFlowcontrolV1beta1FlowSchema.mjs",
        "lib/k8s.io/api/flowcontrol/v1beta3/types.go",
        "package/flowcontrol/v1beta3.d.ts",
        "flowcontrol.apiserver.k8s.io/v1beta1/FlowSchema.d.ts",
        "dist/gen/models/V1beta3FlowSchema.js.map",
        "kubernetes-26.1.0.dist-info/RECORD",
        "cdk8s/.jsii",
        "endpoints/ReadFlowcontrolApiserverV1beta3FlowSchema.kt",
        "paths/apis_flowcontrol_apiserver_k8s_io_v1beta2_flowschemas/__init__.py",
        "types/io.k8s.api.flowcontrol.v1beta1.FlowSchemaSpec.dhall",
        "API/FlowControlV1Beta2API.swift",
        "test/__snapshots__/chart.test.ts.snap",
    ] {
        assert!(has_reason(path, text, GENERATED), "{path}");
    }
    for path in [
        "flowcontrol/v1beta3/levels.yaml",
        "V1beta1FlowSchema.yaml",
        "flowschema-v1beta1.yaml",
        "migrate_v1beta1_flow_schema.py",
        "controllers/flowschema.go",
        "charts/flowcontrol/v1beta3/values.yaml",
        "flowcontrol/versions.go",
        "k8s_flowcontrol_apiserver_k8s_io_flow_schema_v1beta3/resource.tf",
        "apis/flowcontrol/levels.go",
    ] {
        assert!(!has_reason(path, text, GENERATED), "{path}");
    }
}

/// Lists of the versions and clients of other groups, far from the use of flow control.
#[test]
fn tables_of_versions_and_of_clients() {
    let is_table = |text: &str| {
        let used = "flowcontrol.apiserver.k8s.io/v1beta2";
        has_reason("a.go", &format!("{text}\n\n\n\nx = \"{used}\"\n"), LIST)
    };
    assert!(is_table(
        "batch/v1beta1, policy/v1beta1, rbac.authorization.k8s.io/v1alpha1"
    ));
    assert!(!is_table("batch/v1beta1, policy/v1beta1"));
    assert!(!is_table(
        "com.example.batch/v1beta1 x.policy/v1beta1 my.apps/v1beta1"
    ));
    assert!(!is_table("mybatch/v1beta1 xpolicy/v1beta1 myapps/v1beta1"));
    let clients = [
        "admissionregistration_v1alpha1_api",
        "BatchV1beta1Api",
        "policyv1beta1",
        "StorageV1alpha1",
        "nodeV1beta1",
        "resource_v1alpha3",
    ];
    assert!(is_table(&clients.join("\n")));
    assert!(!is_table(&clients[1..].join("\n")));
    let list = |groups: &[&str], between: &str| {
        let entries = groups
            .iter()
            .map(|group| format!("{{\"{group}\", \"v1\"}}\n"));
        let own = "{\"flowcontrol.apiserver.k8s.io\", \"v1beta2\"}\n";
        let text = format!("{}{between}{own}", entries.collect::<String>());
        has_reason("a.go", &text, LIST)
    };
    let many = [
        "batch",
        "policy",
        "storage.k8s.io",
        "rbac.authorization.k8s.io",
    ];
    assert!(list(&many, ""));
    assert!(!list(&many[1..], ""));
    assert!(!list(&["batch"; 4], ""));
    assert!(!list(&many, &"\n".repeat(20)));
    let index = "export * from './v1beta1FlowSchema';\n".repeat(40);
    assert!(has_reason("a.ts", &index, LIST));
    let more = format!("{index}{}", "let x = 1;\n".repeat(42));
    assert!(!has_reason("a.ts", &more, LIST));
}

#[test]
fn methods_of_the_interface_and_other_calls() {
    let method = "func (c *Fake) FlowcontrolV1beta2() v1beta2.FlowcontrolV1beta2Interface {\n\treturn c.inner.FlowcontrolV1beta2()\n}\n";
    let call = "\n\n\n\nfunc run() { client.FlowcontrolV1beta2().FlowSchemas() }\n";
    for (text, expected) in [
        (method.to_owned(), true),
        (format!("\n\n\n{method}{method}"), true),
        (format!("{method}{call}"), false),
        (call.to_owned(), false),
    ] {
        assert_eq!(has_reason("a.go", &text, INTERFACE), expected, "{text}");
    }
}

#[test]
fn modules_that_a_library_passes_on() {
    for line in [
        "export * from './v1beta1FlowSchema';\n",
        "from .v1beta1_flow_schema import V1beta1FlowSchema\n",
        "pub mod v1beta1_flow_schema;\n",
    ] {
        assert!(has_reason("a.x", &line.repeat(2), TYPES), "{line}");
        assert!(!has_reason("a.x", line, TYPES), "{line}");
    }
    let used = "import { V1beta1FlowSchema } from './v1beta1FlowSchema';\n";
    assert!(!has_reason("a.ts", &used.repeat(2), TYPES));
}

#[test]
fn modules_of_a_version() {
    let is_module = |line: &str| {
        has_reason(
            "a.x",
            &format!("{line}\n\n\n\nx = new V1beta1FlowSchema()\n"),
            TYPES,
        )
    };
    for line in [
        "namespace Client.Kubernetes.Flowcontrol.V1beta1",
        "module API::Flowcontrol::V1alpha1",
        "package API::Flowcontrol::V1beta3::FlowSchema;",
        "package com.example.model.flowcontrol.v1beta2;",
    ] {
        assert!(is_module(line), "{line}");
    }
    for line in [
        "use API::Flowcontrol::V1beta3::FlowSchema;",
        "package flowcontrol",
        "package policy.v1beta1;",
        "namespace Client.Flowcontrol.V1",
    ] {
        assert!(!is_module(line), "{line}");
    }
}

/// The marks of `.gitattributes`.
#[test]
fn files_that_are_marked_as_generated_or_vendored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let own = "# a comment\n*.ts text linguist-generated=true\nown.ts -linguist-generated\n\"a b/*\"\tlinguist-vendored\nlib/** linguist-vendored eol=lf\n[attr]x linguist-generated\n*.js linguist-generated=false\n";
    write(&root, ".gitattributes", "*.go linguist-generated\n");
    write(&root, "app/.git/HEAD", "");
    write(&root, "app/.gitattributes", own);
    write(
        &root,
        "app/lib/own/.gitattributes",
        "*.rs !linguist-vendored\n",
    );
    let marked = [
        "b.go",
        "app/x.ts",
        "app/src/x.ts",
        "app/a b/c",
        "app/lib/a.rs",
        "app/lib/b/a.rs",
    ];
    // The root of a repository ends the search.
    let others = [
        "b.ts",
        "app/b.go",
        "app/own.ts",
        "app/x.js",
        "app/x",
        "app/lib/own/a.rs",
    ];
    for path in marked.iter().chain(&others) {
        write(&root, path, "client.FlowcontrolV1beta2().FlowSchemas()\n");
    }
    let is_generated = |path: &str| {
        let found = findings(&root, path);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        found[0].message.starts_with(GENERATED)
    };
    for path in marked {
        assert!(is_generated(path), "{path}");
    }
    for path in others {
        assert!(!is_generated(path), "{path}");
    }
}
