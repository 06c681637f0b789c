//! `size`.

use crate::common::{Folder, code, run, stderr, stdout};
use serde_json::Value;

const INTENTS: &str = "\
server: {seats: 100}
duration: 5s
intents:
- name: flux
  client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s}
  atLoad: {concurrent: 100, meanSeconds: 0.2}
";

#[test]
fn objects_have_reasons_and_a_proof() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");
    std::fs::write(&path, INTENTS).unwrap();
    let file = path.as_str();
    let output = run(&["size", file]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let manifests = stdout(&output);
    assert!(manifests.contains("# shares "), "{manifests}");
    assert!(manifests.contains("name: size-flux-system-kustomize-controller"));
    let proof = stderr(&output);
    assert!(proof.contains("the whole load with seed 2"), "{proof}");
    assert!(proof.contains("1.5 times the load (margin)"), "{proof}");
    let json = run(&["size", file, "-o", "json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["isPossible"], true);
    assert_eq!(json["objects"].as_array().unwrap().len(), 2);
    let comment = stdout(&run(&["size", file, "--comment", "markdown"]));
    assert!(comment.starts_with("### Sizes for intents"), "{comment}");
}

#[test]
fn errors_have_places_and_contradictions_have_numbers() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");

    std::fs::write(&path, INTENTS.replace("1s", "soon")).unwrap();
    let output = run(&["size", &path]);
    assert_eq!(code(&output), 3);
    let found = stderr(&output);
    assert!(
        found.contains("intents.yaml:6:16: intents[0].waits.p99: "),
        "{found}"
    );
    std::fs::write(&path, INTENTS.replace("seats: 100", "seats: 5")).unwrap();
    let output = run(&["size", &path]);
    assert_eq!(code(&output), 1);
    let found = stderr(&output);
    assert!(
        found.contains("flux needs at least 13 of 5 seats"),
        "{found}"
    );
    let from_log = INTENTS.replace("{concurrent: 100, meanSeconds: 0.2}", "{fromLog: true}");
    std::fs::write(&path, from_log).unwrap();
    let output = run(&["size", &path]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("line 4: the intent flux is about the requests of audit logs")
    );
}
