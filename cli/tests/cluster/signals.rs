//! A signal that ends the program also ends what it started.

use crate::common::{Folder, program};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

#[test]
fn exec_plugins_and_their_children_end() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new();
        let kubeconfig = r#"{"apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
                "command": "sh", "args": ["-c", "(echo started >&2; sleep 1000); true"]}}}]}"#;
        let kubeconfig = folder.file("config", kubeconfig);
        let mut child = program()
            .args(["get", "flowschemas", "--kubeconfig", &kubeconfig])
            // Not the terminal of the tests, with which plugins share a process group.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        let kill = ["-s", signal, &child.id().to_string()].map(str::to_owned);
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        // The stream ends when the last process that has it ends: the plugin's child too.
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}
