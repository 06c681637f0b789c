//! Inputs without an object: a wrong folder does not pass.

use crate::common::{Folder, code, run, stderr, stdout};

const LEVEL: &str = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\n\
    spec: {type: Limited, limited: {limitResponse: {type: Reject}}}\n";
const COMMANDS: [&[&str]; 5] = [
    &["validate"],
    &["lint"],
    &["convert"],
    &["seats"],
    &["match", "--user", "a", "--resource", "pods"],
];

#[test]
fn files_without_objects_are_an_error_that_names_them() {
    let folder = Folder::new();
    let other = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    let empty = folder.file("empty.yaml", "");
    let files = [
        empty.clone(),
        folder.file("comment.yaml", "# nothing\n"),
        folder.file("separator.yaml", "---\n"),
        folder.file("empty.json", "\n"),
        folder.file("kustomization.yaml", other),
    ];
    folder.file("folder/kustomization.yaml", other);
    folder.file("folder/deep/level.yaml", LEVEL);
    for command in COMMANDS {
        for file in &files {
            let output = run(&[command, &["-f", file]].concat());
            let said = stderr(&output);
            assert_eq!(code(&output), 3, "{command:?} {file}: {said}");
            let expected = format!(
                "error: {file} contains no objects\nhint: the files must contain flow schemas or priority levels\n"
            );
            assert!(said.ends_with(&expected), "{command:?}: {said}");
            assert_eq!(stdout(&output), "", "{command:?}");
        }
        let path = folder.path("folder");
        let output = run(&[command, &["-f", &path, "-f", &empty]].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{command:?}: {said}");
        let expected = format!("error: {path} and {empty} contain no objects\n");
        assert!(said.contains(&expected), "{said}");
        assert!(said.ends_with("`-R` also reads the subfolders\n"), "{said}");
        let output = run(&[command, &["-f", &path, "-R"]].concat());
        assert_eq!(code(&output), 0, "{command:?}: {}", stderr(&output));
    }
}
