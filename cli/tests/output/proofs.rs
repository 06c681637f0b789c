//! The proofs of `create`.

use crate::common::{Folder, code, run, stderr, stdout};

/// Two clients can have the same name for their objects.
#[test]
fn objects_that_would_be_replaced_are_named() {
    let folder = Folder::new();
    let of_namespace = run(&["create", "isolate", "namespace", "batch", "--at-most", "50"]);
    let objects = stdout(&of_namespace);
    let other = objects.replace(
        "  name: isolate-batch\nspec:\n  dist",
        "  name: other\nspec:\n  dist",
    );
    let file = folder.file("batch.yaml", &objects);
    let isolate = |kind: &str, file: &str| {
        let ran = run(&[
            "create",
            "isolate",
            kind,
            "batch",
            "--at-most",
            "5",
            "-f",
            file,
        ]);
        assert_eq!(code(&ran), 0);
        stderr(&ran)
    };
    let err = isolate("user", &file);
    assert!(err.contains("replaces it"), "{err}");
    // Fewer seats for the client's own level are the wish.
    assert!(!err.contains("less than half"), "{err}");
    let err = isolate("namespace", &file);
    assert!(!err.contains("replaces it"), "{err}");
    let err = isolate("user", &folder.file("other.yaml", &other));
    assert!(
        err.contains("and their requests share its seats: other"),
        "{err}"
    );
}

/// Without the built-in objects no built-in object comes before the schema.
#[test]
fn lint_knows_the_objects_of_the_proof() {
    let folder = Folder::new();
    let level = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\nspec: {type: Limited, limited: {limitResponse: {type: Reject}}}\n";
    let file = folder.file("a.yaml", level);
    let ran = run(&[
        "create",
        "isolate",
        "user",
        "x",
        "--at-most",
        "300",
        "--only-these",
        "-f",
        &file,
    ]);
    let err = stderr(&ran);
    assert!(
        err.contains("Requests of the user x, in the group system:authenticated:"),
        "{err}"
    );
    assert!(
        err.contains("after: exempt (exempt) in group system:masters"),
        "{err}"
    );
    assert!(!err.contains("error:"), "{err}");
}

/// A server of 1.25 ignores the level for the seats of a list.
#[test]
fn a_list_that_is_wider_than_the_limit_is_named() {
    let isolated = |at_most: &str, release: &str| {
        let client = ["create", "isolate", "user", "x", "--group", "g"];
        let args = [
            &client[..],
            &["--at-most", at_most, "--kubernetes", release],
        ]
        .concat();
        let ran = run(&args);
        assert_eq!(code(&ran), 0);
        stderr(&ran).contains("warning: a single list can take up to 10 seats in Kubernetes 1.25")
    };
    assert!(isolated("9", "1.25"));
    assert!(!isolated("10", "1.25"));
    assert!(!isolated("5", "1.26"));
    assert!(!isolated("5", "1.37"));
}

#[test]
fn a_client_without_a_name_for_objects_is_an_error() {
    let error = |args: &[&str]| {
        let ran = run(&[&["create"], args].concat());
        assert_eq!(code(&ran), 2);
        stderr(&ran)
    };
    for (args, hint) in [
        (
            &["isolate", "user", "*", "--at-most", "5"][..],
            "hint: name a group: system:authenticated has",
        ),
        (
            &["protect", "group", "\u{3a9}", "--at-least", "5"],
            "hint: give another name, and write this one",
        ),
        (
            &["exempt-probes", "--user", "*"],
            "hint: leave out `--user`",
        ),
    ] {
        let err = error(args);
        assert!(err.contains("has no ASCII letter or digit"), "{err}");
        assert!(err.contains(hint), "{err}");
    }
}

#[test]
fn a_group_of_service_accounts_has_service_accounts() {
    let group = "system:serviceaccounts:a";
    let ran = run(&["create", "isolate", "group", group, "--at-most", "5"]);
    let err = stderr(&ran);
    let heading = "Requests of a service account of the namespace a that no flow schema names, in";
    assert!(err.contains(heading), "{err}");
}
