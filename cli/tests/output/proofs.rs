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
