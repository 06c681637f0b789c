//! Programs that use old versions, and places that a comment keeps.

use super::{V1, clean, findings, run, to};
use k8s_flowcontrol_manifests::{Rule, Severity, may_mention, uses};
use k8s_flowcontrol_types::ApiVersion;

#[test]
fn client_libraries_are_found() {
    let cases = [
        (
            "import flow \"k8s.io/api/flowcontrol/v1beta2\"",
            "k8s.io/api/flowcontrol/v1beta2 is a Go package of v1beta2",
        ),
        (
            "c.FlowcontrolV1beta2().FlowSchemas()",
            "FlowcontrolV1beta2 is a Go client of v1beta2",
        ),
        (
            "api = client.FlowcontrolApiserverV1beta3Api()",
            "FlowcontrolApiserverV1beta3Api is a client class of v1beta3",
        ),
        (
            "from kubernetes.client.api.flowcontrol_apiserver_v1alpha1_api import X",
            "flowcontrol_apiserver_v1alpha1 is",
        ),
        (
            "new V1beta3PriorityLevelConfiguration()",
            "V1beta3PriorityLevelConfiguration is a client class",
        ),
        (
            "use k8s_openapi::api::flowcontrol::v1beta1::FlowSchema;",
            "flowcontrol::v1beta1 is a Rust module",
        ),
        (
            "client.flowControl().v1beta2().list()",
            "flowControl().v1beta2() is a Java client",
        ),
        (
            "import io.fabric8.kubernetes.api.model.flowcontrol.v1beta3.FlowSchema;",
            "model.flowcontrol.v1beta3 is a Java package",
        ),
        (
            "k.flowcontrol.v1beta2.flowSchema.new('a')",
            "flowcontrol.v1beta2 is a package",
        ),
        (
            "resource \"k8s_flowcontrol_apiserver_k8s_io_flow_schema_v1beta2\" \"a\" {",
            "k8s_flowcontrol_apiserver_k8s_io_flow_schema_v1beta2 is a Terraform resource",
        ),
        (
            "curl $S/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas",
            "a request path names",
        ),
        (
            "--runtime-config=flowcontrol.apiserver.k8s.io/v1beta1=true",
            "a --runtime-config flag names",
        ),
        (
            "resource \"k8s_flowcontrol_apiserver_k8s_io_v1beta1_flow_schema\" \"a\" {",
            "k8s_flowcontrol_apiserver_k8s_io_v1beta1_ is a Terraform resource",
        ),
        (
            "limited.withAssuredConcurrencyShares(5)",
            "AssuredConcurrencyShares is not a field of v1",
        ),
        (
            "  assured_concurrency_shares = 125",
            "assured_concurrency_shares is not a field of v1",
        ),
        (
            "getFlowcontrolApiserverV1beta3APIResources()",
            "FlowcontrolApiserverV1beta3 is a client function",
        ),
        (
            "f.Flowcontrol().V1beta2().FlowSchemas()",
            "Flowcontrol().V1beta2() is a Go informer",
        ),
        (
            "from pulumi_kubernetes.flowcontrol.v1beta1 import FlowSchema",
            "flowcontrol.v1beta1 is a package",
        ),
        (
            "from lightkube.resources.flowcontrol_v1beta2 import FlowSchema",
            "flowcontrol_v1beta2 is a Python module",
        ),
        (
            "using Pulumi.Kubernetes.FlowControl.V1Beta1;",
            "FlowControl.V1Beta1 is a .NET namespace",
        ),
        (
            "resource a 'flowcontrol.apiserver.k8s.io/FlowSchema@v1beta3' = {",
            "is mentioned",
        ),
        (
            "schema.GroupVersionResource{\n\tGroup:    \"flowcontrol.apiserver.k8s.io\",\n\tVersion:  \"v1beta2\",\n}",
            "names flowcontrol.apiserver.k8s.io in v1beta2",
        ),
        (
            "\"apiVersion\" = \"flowcontrol.apiserver.k8s.io/v1beta3\"",
            "is mentioned",
        ),
    ];
    for (text, words) in cases {
        assert!(may_mention(text.as_bytes()), "{text}");
        let found = uses(text, ApiVersion::V1);
        let [finding] = found.as_slice() else {
            panic!("one finding in {text}: {found:?}")
        };
        assert!(finding.message.contains(words), "{}", finding.message);
        assert_eq!(finding.severity, Severity::Manual);
        assert!(finding.help.is_some());
        let line = text[found[0].offset..].lines().next().unwrap();
        let kept = text.replacen(line, &format!("{line} // flowcontrol: keep"), 1);
        let kept = format!("{kept}\n{text}");
        let offset = text.len();
        let found = uses(&kept, ApiVersion::V1);
        assert!(found.len() == 1 && found[0].offset > offset, "{found:?}");
    }
    for text in [
        "import \"k8s.io/api/flowcontrol/v1\"",
        "c.FlowcontrolV1().FlowSchemas()",
        "V1FlowSchema",
        "/flowcontrol/v1beta22",
        "tcp/flowcontrol/window",
        "{Group: \"flowcontrol.apiserver.k8s.io\", Version: \"v1\"}",
        "{Group: \"flowcontrol.apiserver.k8s.io\"}, {Version: \"v1beta3\"}",
        "KubeFlowSchemaV1",
    ] {
        assert_eq!(uses(text, ApiVersion::V1), [], "{text}");
    }
    assert_eq!(uses("c.FlowcontrolV1()", ApiVersion::V1Beta3).len(), 1);
}

#[test]
fn a_comment_keeps_an_object_and_a_mention() {
    let object =
        "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n";
    let kept = object.replacen('\n', " # flowcontrol: keep\n", 1);
    let text = format!("# flowcontrol: keep\n{object}---\n{object}---\n{kept}");
    let expected = format!(
        "# flowcontrol: keep\n{object}---\n{}---\n{kept}",
        object.replace("v1beta3", "v1")
    );
    assert_eq!(clean(&text, V1), expected);
    let rules: Vec<_> = run(&text, V1)
        .findings
        .iter()
        .map(|found| found.rule)
        .collect();
    assert_eq!(rules, [Rule::Kept, Rule::Kept]);

    let mention = "a: flowcontrol.apiserver.k8s.io/v1beta3\n";
    let text = format!("x:\n  # flowcontrol: keep\n  {mention}  b{mention}");
    assert_eq!(findings(&run(&text, V1), &text), [(Rule::Mention, 4)]);
    // Only a comment keeps.
    let text = "a: 'flowcontrol.apiserver.k8s.io/v1beta3, not flowcontrol: keep'\n".to_owned();
    assert_eq!(findings(&run(&text, V1), &text), [(Rule::Mention, 1)]);
}

#[test]
fn changes_that_are_more_than_a_name_have_a_reason() {
    let level = |version: &str, shares: &str| {
        format!(
            "apiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: PriorityLevelConfiguration\nmetadata: {{name: a}}\nspec: {{type: Limited, limited: {{{shares}}}}}\n"
        )
    };
    let text = level("v1alpha1", "assuredConcurrencyShares: 0");
    let outcome = run(&text, V1);
    let reasons: Vec<_> = outcome.objects[0]
        .changes
        .iter()
        .filter_map(|change| change.why.as_deref())
        .collect();
    assert_eq!(
        reasons,
        [
            "v1alpha1 has the fields and defaults of v1beta1; no server since Kubernetes 1.21 serves it",
            "0 means the default of 30 in the old version, and no shares in v1"
        ]
    );
    assert_eq!(
        outcome.text,
        Some(level("v1", "nominalConcurrencyShares: 30"))
    );
    let plain = run(&level("v1beta2", "assuredConcurrencyShares: 5"), V1);
    assert!(
        plain.objects[0]
            .changes
            .iter()
            .all(|change| change.why.is_none())
    );
    let down = run(
        &level("v1", "nominalConcurrencyShares: 0"),
        to(ApiVersion::V1Beta3),
    );
    let mut reasons = down.objects[0]
        .changes
        .iter()
        .filter_map(|change| change.why.as_ref());
    assert!(reasons.any(|why| why.contains("v1beta3 needs the annotation")));
}

#[test]
fn names_of_the_programs_own_are_not_uses() {
    // A parameter of a function.
    let text = "func level(name string, assuredConcurrencyShares int32) {\n";
    assert_eq!(uses(text, ApiVersion::V1), []);
    assert_eq!(
        uses("\tassuredConcurrencyShares: 5\n", ApiVersion::V1).len(),
        1
    );
    // A file with the objects of a test.
    assert_eq!(
        uses("load(\"apis_v1beta1_flowschemas.json\")", ApiVersion::V1),
        []
    );
    // A comment.
    for text in [
        "\t//   apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n",
        "# flowschemas   flowcontrol.apiserver.k8s.io/v1beta2   false\n",
    ] {
        let found = uses(text, ApiVersion::V1);
        let found: Vec<_> = found.iter().map(|one| (one.rule, one.severity)).collect();
        assert_eq!(found, [(Rule::Comment, Severity::Note)], "{text}");
    }
    // A type that the program defines.
    let defined = uses("class v1beta2_FlowSchema(Base):\n", ApiVersion::V1);
    let used = uses("x = v1beta2_FlowSchema()\n", ApiVersion::V1);
    assert_eq!((defined.len(), used.len()), (1, 1));
    assert_eq!(
        (defined[0].severity, used[0].severity),
        (Severity::Note, Severity::Manual)
    );
}
