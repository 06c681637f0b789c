//! The owners of objects, and what they do after a change.

use k8s_flowcontrol_analysis::ownership::owner;
use k8s_flowcontrol_rules::bootstrap::AUTO_UPDATE_ANNOTATION;
use k8s_flowcontrol_types::Kind;
use serde_json::{Value, json};

fn owner_of(metadata: Value) -> Option<String> {
    owner(Kind::FlowSchema, &json!({"metadata": metadata})).map(|owner| owner.name)
}

#[test]
fn evidence_of_an_owner() {
    let server = Some("the API server".to_owned());
    assert_eq!(owner_of(json!({"name": "probes"})), server);
    let annotated = |name: &str, value: &str| {
        owner_of(
            json!({"name": name, "generation": 2, "annotations": {AUTO_UPDATE_ANNOTATION: value}}),
        )
    };
    // The server updates or deletes what has the annotation, in every form of Go, and leaves others alone.
    assert_eq!(annotated("mine", "t"), server);
    assert_eq!(annotated("probes", "1"), server);
    assert_eq!(annotated("exempt", "false"), server);
    for (name, value) in [
        ("mine", "false"),
        ("mine", "yes"),
        ("probes", "0"),
        ("probes", "no"),
    ] {
        assert_eq!(annotated(name, value), None, "{name} {value}");
    }
    let taken_over = json!({"name": "probes", "annotations": {AUTO_UPDATE_ANNOTATION: "false"}, "labels": {"helm.sh/chart": "a"}});
    assert_eq!(owner_of(taken_over).unwrap(), "Helm");
    let references =
        json!([{"kind": "Team", "name": "a"}, {"kind": "Tenant", "name": "b", "controller": true}]);
    assert_eq!(
        owner_of(json!({"name": "mine", "ownerReferences": references})).unwrap(),
        "Tenant \"b\""
    );
    let helm = json!({"name": "mine", "labels": {"app.kubernetes.io/managed-by": "Helm"}});
    assert_eq!(owner_of(helm).unwrap(), "Helm");
    let other = json!({"name": "mine", "labels": {"app.kubernetes.io/managed-by": "fleet"}});
    assert_eq!(owner_of(other).unwrap(), "fleet");
    assert_eq!(
        owner_of(json!({"name": "eks-exempt"})).unwrap(),
        "Amazon EKS"
    );
}

#[test]
fn consequences_of_a_change() {
    let of = |metadata: Value| {
        let object = json!({"metadata": metadata});
        owner(Kind::FlowSchema, &object)?.consequence(&object)
    };
    let server = "the API server resets its spec within a minute";
    assert_eq!(of(json!({"name": "probes"})).unwrap(), server);
    let kept = json!({AUTO_UPDATE_ANNOTATION: "false"});
    assert_eq!(
        of(json!({"name": "probes", "annotations": kept.clone()})),
        None
    );
    assert_eq!(
        of(json!({"name": "exempt", "annotations": kept})).unwrap(),
        server
    );
    let kept = json!({AUTO_UPDATE_ANNOTATION: "true"});
    for (name, part) in [
        ("mine", "the API server deletes it"),
        ("endpoint-controller", "or deletes it if its release"),
    ] {
        let consequence = of(json!({"name": name, "annotations": kept.clone()})).unwrap();
        assert!(consequence.contains(part), "{name}: {consequence}");
    }
    let guard = json!({"name": "aks-managed-apiserver-guard"});
    let consequence = of(guard).unwrap();
    assert!(
        consequence.contains("aks-managed-skip-update-operation=true"),
        "{consequence}"
    );
    let skipped =
        json!({"name": "aks-guard", "labels": {"aks-managed-skip-update-operation": "true"}});
    assert_eq!(of(skipped), None);
    for (name, part) in [
        ("openshift-oauth", "OpenShift resets"),
        ("eks-exempt", "Amazon EKS can undo"),
    ] {
        let consequence = of(json!({"name": name})).unwrap();
        assert!(consequence.contains(part), "{consequence}");
    }
}

#[test]
fn an_object_without_an_owner() {
    assert_eq!(
        owner_of(json!({"name": "mine", "labels": {"team": "a"}})),
        None
    );
    // A level of this name is built in, a flow schema is not.
    assert_eq!(owner_of(json!({"name": "workload-low"})), None);
}
