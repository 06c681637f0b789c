//! The forms in which programs name a version of the group.

use k8s_flowcontrol_manifests::uses;
use k8s_flowcontrol_types::ApiVersion;

/// The words with which the uses of a text begin.
fn found(text: &str) -> Vec<&str> {
    let uses = uses(text, ApiVersion::V1).into_iter();
    uses.map(|found| {
        text[found.offset..]
            .split_whitespace()
            .next()
            .unwrap_or_default()
    })
    .collect()
}

#[track_caller]
fn is_found(text: &str) {
    assert_eq!(
        found(text).len(),
        1,
        "{text}: {:?}",
        uses(text, ApiVersion::V1)
    );
}

#[track_caller]
fn is_not_found(text: &str) {
    assert_eq!(uses(text, ApiVersion::V1), [], "{text}");
}

#[test]
fn versions_beside_the_group_or_a_kind() {
    for text in [
        "client.FlowcontrolV1beta2()",
        "flow_control_v1beta2",
        "flowControl()\n        .v1beta2()\n",
        "flow.v1beta3().flowSchema()",
        "client.flowControlV1Beta2.list()",
        "flowcontrol::v1beta3::X",
        "Api::Flowcontrol::V1beta3::X",
        "KubeFlowSchemaV1Beta2",
        "FlowSchemaSpecV1Beta2",
        "kubernetes_flow_schema_v1_beta_2",
        "v1beta2_flow_schema_t",
        "V1beta2LimitedPriorityLevelConfiguration",
        "/io.k8s.api.flowcontrol.v1beta2.X",
        "flowcontrol.apiserver.k8s.io@v1beta3",
        "v1beta3.FlowSchema.b",
        "api/flowcontrol/v1beta2/",
        "FlowcontrolApiserverV1beta2API_listFlowSchema",
    ] {
        is_found(text);
    }
    for text in [
        "policyv1beta1.PodDisruptionBudget",
        "flowcontrol v1beta2",
        "flowcontrol.NewLimiter(v1beta2)",
        "flowcontrol/v1beta22",
        "apps().V1beta2()\n\nFlowSchemas",
        "v1beta2 FlowSchema",
        "V1FlowSchema",
        "überv1beta2",
        "apis_v1beta1_flowschemas.json",
    ] {
        is_not_found(text);
    }
}

#[test]
fn names_around_a_version_assign_it() {
    for text in [
        "flowSchemaVersion: v1beta2\n",
        "flowcontrol:\n  on: true\n  apiVersion: v1beta2  # old\n",
        "FLOWCONTROL_VERSION=\"${FLOWCONTROL_VERSION:-v1beta2}\"",
        "variable \"flow_control\" {\n  default = \"v1beta2\"\n}",
        "- name: FLOWCONTROL\n  value: v1beta2\n",
        "[flowcontrol]\nversion = \"v1beta2\"\n",
        "{\"apf\": \"v1beta2\", \"policy\": \"v1beta1\"}",
        "ENV FLOW_SCHEMA v1beta2",
        "const api = {group: 'flowcontrol.apiserver.k8s.io'};\napi.version = 'v1beta2';\n",
        "gvr := GroupVersionResource{\n\tGroup: \"flowcontrol.apiserver.k8s.io\",\n}\ngvr.Version = \"v1beta2\"\n",
        "kind := schema.GroupKind{Group: g, Kind: \"FlowSchema\"}\nreturn kind.WithVersion(\"v1beta2\")\n",
    ] {
        is_found(text);
    }
    for text in [
        "policy:\n  apiVersion: v1beta1\n",
        "# flowcontrol: v1beta2\n",
        "flowcontrol:\n  policy:\n    apiVersion: v1beta1\n",
        "flowcontrol: on\napiVersion: v1beta1\n",
        "the flowcontrol version v1beta2 is old",
        "kind := schema.GroupKind{Group: g, Kind: \"CronJob\"}\nreturn kind.WithVersion(\"v1beta1\")\n",
        "api = {group: 'flowcontrol.apiserver.k8s.io'}\nmyapi = {}\nmyapi.version = 'v1beta2'\n",
        "- name: POLICY\n  value: v1beta1\n- name: FLOWCONTROL\n  value: v1\n",
    ] {
        is_not_found(text);
    }
}

#[test]
fn a_version_before_or_after_the_group() {
    const GROUP: &str = "flowcontrol.apiserver.k8s.io";
    let group = format!("\"{GROUP}\"");
    for text in [
        format!("{{\n\tGroup:    {group},\n\tVersion:  \"v1beta2\",\n}}"),
        format!("{{Group: {group}, Resource: r, Version: \"v1beta2\"}}"),
        format!("{{Version: \"v1beta2\", Group: {group}}}"),
        format!("{{Version: \"v1beta2\", Flags: {{}}, Group: {group}}}"),
        format!("gvk({group}, \"v1beta2\", \"FlowSchema\")"),
        format!("{{\"group\": {group}, \"version\": \"v1beta2\"}}"),
        format!("{{'version': 'v1beta2', 'group': '{GROUP}'}}"),
        format!("list(group={group}, version=\"v1beta2\")"),
        format!("  group = {group}\n  version = \"v1beta2\"\n"),
        format!("group: {GROUP}\n    resource: r\n    version: v1beta2\n"),
        format!("b.withGroup({group})\n  .withVersion(\"v1beta2\")"),
        format!("url = {group} + \"/v1beta2/flowschemas\""),
        format!("const g1 = {group}\nx := gvr{{Group: g1, Version: \"v1beta2\"}}"),
        format!("const g1 string = {group}\nx := gvr(g1, \"v1beta2\")"),
        format!("pub const G1: &str = {group};\nlet x = gvk(G1, \"v1beta2\", KIND);"),
        format!("static final String G1 = {group};\nString x = G1 + \"/v1beta2\";"),
        format!("g1 = {group}\nlist(group=g1, version=\"v1beta2\")\n"),
    ] {
        is_found(&text);
    }
    for text in [
        format!("{{Group: {group}}}, {{Group: \"x\", Version: \"v1beta2\"}}"),
        format!("{{Group: \"x\", Version: \"v1beta2\"}}, {{Group: {group}}}"),
        format!("{{Version: \"v1beta2\", Group: \"x\"}}, {{Version: \"v1\", Group: {group}}}"),
        format!("f({group})\ng(\"v1beta2\")"),
        format!("a = {group}\nb = \"v1beta2\"\n"),
        format!("const g1 = {group}\nx := gvr{{Group: g12, Version: \"v1beta2\"}}"),
        format!("const g1 = {group}\nx := f(g1)\ny := g(\"v1beta2\")"),
        format!("url = {group} + \"/v1beta2x\""),
        format!("group: {GROUP}\nname: v1beta2\n"),
        format!("group: {GROUP}\n}} version: v1beta2\n"),
    ] {
        is_not_found(&text);
    }
}
