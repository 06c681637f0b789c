//! The words for names in reports that are shared.

use k8s_flowcontrol_analysis::redact::Redactor;

#[test]
fn the_same_name_has_the_same_word() {
    let redactor = Redactor::with_key("key");
    let other_run = Redactor::with_key("key");
    assert_eq!(redactor.user("alice"), other_run.user("alice"));
    assert_ne!(redactor.user("alice"), redactor.user("bob"));
    assert_ne!(
        redactor.user("alice"),
        Redactor::with_key("other").user("alice")
    );
    let account = redactor.user("system:serviceaccount:team-a:builder");
    assert!(
        account.starts_with("system:serviceaccount:namespace-"),
        "{account}"
    );
    assert!(
        !account.contains("team-a") && !account.contains("builder"),
        "{account}"
    );
    assert!(account.contains(&redactor.namespace("team-a")));
    for hidden in ["system:bootstrap:abc123", "system:acme-robot", "kube-acme"] {
        let word = redactor.user(hidden) + &redactor.namespace("kube-acme");
        assert!(!word.contains("abc123") && !word.contains("acme"), "{word}");
    }
    for kept in [
        "system:kube-scheduler",
        "system:serviceaccount:kube-system:job-controller",
        "",
    ] {
        assert_eq!(redactor.user(kept), kept);
    }
    assert_eq!(Redactor::default().user("alice"), "alice");
}

#[test]
fn groups_and_objects_have_words_too() {
    let redactor = Redactor::with_key("key");
    let of_namespace = redactor.group("system:serviceaccounts:team-a");
    assert!(of_namespace.ends_with(&redactor.namespace("team-a")));
    assert!(redactor.group("team-a").starts_with("group-"));
    assert_eq!(redactor.group("system:masters"), "system:masters");
    let node = redactor.user("system:node:n1");
    assert!(node.ends_with(&redactor.object("nodes", "n1")), "{node}");
    assert_eq!(
        redactor.object("namespaces", "team-a"),
        redactor.namespace("team-a")
    );
    assert!(redactor.object("secrets", "s").starts_with("name-"));
    assert_eq!(Redactor::default().object("secrets", "s"), "s");
}
