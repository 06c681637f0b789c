//! Completion in bash, zsh, fish and kubectl, against an embedded server.

use super::{command, is_installed};
use crate::common::Folder;
use k8s_flowcontrol_server::ApiServer;
use std::process::Command;

/// A server, and its kubeconfig file.
struct Cluster {
    folder: Folder,
    _server: ApiServer,
}

impl Cluster {
    async fn start() -> Self {
        let server = ApiServer::builder().start().await.unwrap();
        let folder = Folder::new();
        folder.file("kubeconfig", server.kubeconfig());
        Self {
            folder,
            _server: server,
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = command(name);
        command.env("KUBECONFIG", self.folder.path("kubeconfig"));
        command.env("HOME", self.folder.path(""));
        command.env("TERM", "dumb");
        command
    }

    /// The words that the program offers, and the number of the fallback.
    fn words(&self, line: &str) -> (Vec<String>, String) {
        let mut command = self.command("kubectl-flowcontrol");
        command.args(["__complete", "--"]).args(line.split(' '));
        let out = output(command);
        let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
        let last = lines.pop().unwrap();
        let word = |line: String| line.split('\t').next().unwrap().to_owned();
        (lines.into_iter().map(word).collect(), last)
    }
}

fn output(mut command: Command) -> String {
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_words_that_can_follow() {
    let cluster = Cluster::start().await;
    let expect = |line: &str, words: &[&str], fallback: &str| {
        let (found, last) = cluster.words(line);
        assert_eq!(
            (found, last.as_str()),
            (
                words.iter().map(|word| (*word).to_owned()).collect(),
                fallback
            ),
            "{line}"
        );
    };
    expect("desc", &["describe"], ":4");
    expect("describe plc/catch", &["plc/catch-all"], ":4");
    expect("describe fs catch", &["catch-all"], ":4");
    expect("describe fs/catch-all pl", &[], ":6");
    expect("describe f", &["flowschemas"], ":4");
    expect("describe nonsense x", &[], ":4");
    expect(
        "--context embedded describe plc work",
        &["workload-high", "workload-low"],
        ":4",
    );
    expect("describe --context e", &["embedded"], ":4");
    expect("describe --context=e", &["embedded"], ":4");
    expect("tune workload-l", &["workload-low"], ":4");
    expect(
        "migrate --to-version v1b",
        &["v1beta3", "v1beta2", "v1beta1"],
        ":4",
    );
    expect(
        "migrate --kubernetes 1.3",
        &[
            "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37",
        ],
        ":4",
    );
    expect("migrate -o ", &["json", "sarif"], ":4");
    expect("migrate --che", &["--check"], ":4");
    expect("migrate --check --che", &[], ":4");
    expect("migrate --exclude a --excl", &["--exclude"], ":4");
    expect("migrate ", &[], ":0");
    expect("migrate -- --ch", &[], ":0");
    expect("migrate a.yaml --write --backup ", &[], ":0");
    expect("convert -f ", &[], ":0");
    expect("completion k", &["kubectl"], ":4");
    // Nothing is offered without a cluster, and no error is printed.
    let mut without = command("kubectl-flowcontrol");
    without.args([
        "__complete",
        "--",
        "describe",
        "--server=http://127.0.0.1:1",
        "plc/",
    ]);
    without.env("KUBECONFIG", "/nonexistent");
    assert_eq!(output(without), ":4\n");
    let (commands, _) = cluster.words("");
    assert!(
        commands.iter().any(|word| word == "migrate"),
        "{commands:?}"
    );
    assert!(
        !commands.iter().any(|word| word.starts_with('_')),
        "{commands:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_completes() {
    if !is_installed("bash") {
        return;
    }
    let cluster = Cluster::start().await;
    cluster.folder.file("work/levels.yaml", "");
    for (words, expected) in [
        ("desc", "describe"),
        ("describe plc/catch", "plc/catch-all"),
        ("describe plc catch", "catch-all"),
        // Bash splits the option and its value.
        ("describe --context = emb", "embedded"),
        ("migrate lev", "levels.yaml"),
    ] {
        let script = format!(
            "source <(kubectl-flowcontrol completion bash)\ncomplete -p kubectl-flowcontrol >/dev/null || exit 1\n\
             COMP_WORDS=(kubectl-flowcontrol {words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _kubectl_flowcontrol 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = cluster.command("bash");
        bash.args(["--norc", "-c", &script]);
        bash.current_dir(cluster.folder.path("work"));
        assert_eq!(output(bash), format!("{expected}\n"), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fish_completes() {
    if !is_installed("fish") {
        return;
    }
    let cluster = Cluster::start().await;
    cluster.folder.file("work/levels.yaml", "");
    for (line, expected) in [
        ("desc", "describe"),
        ("describe plc/catch", "plc/catch-all"),
        ("describe plc catch", "catch-all"),
        ("describe --context=emb", "--context=embedded"),
        ("migrate lev", "levels.yaml"),
    ] {
        let script = format!(
            "kubectl-flowcontrol completion fish | source; complete -C 'kubectl-flowcontrol {line}'"
        );
        let mut fish = cluster.command("fish");
        fish.args(["--no-config", "-c", &script]);
        fish.current_dir(cluster.folder.path("work"));
        let found = output(fish);
        let word = found.trim_end().split('\t').next().unwrap();
        assert_eq!(word, expected, "{line}: {found}");
    }
}

/// A zsh in its own terminal: it types a line and the tab, and prints the line that zsh then has.
const ZSH: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
send() { zpty -w shell "$1" }
send 'PROMPT=; autoload -Uz compinit; compinit -u -D; source <(kubectl-flowcontrol completion zsh)'
send 'show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey "^X" show; print ready""now'
zpty -r shell out '*readynow*'
zpty -w -n shell "kubectl-flowcontrol $LINE"$'\t\x18'
zpty -r shell out '*<<*>>*'
print -r -- "${${out#*<<}%%>>*}"
zpty -d shell
"#;

#[tokio::test(flavor = "multi_thread")]
async fn zsh_completes() {
    if !is_installed("zsh") {
        return;
    }
    let cluster = Cluster::start().await;
    cluster.folder.file("work/levels.yaml", "");
    for (line, expected) in [
        ("desc", "describe "),
        ("describe plc/catch", "describe plc/catch-all "),
        ("describe plc catch", "describe plc catch-all "),
        ("describe --context=emb", "describe --context=embedded "),
        ("migrate lev", "migrate levels.yaml "),
    ] {
        let mut zsh = cluster.command("timeout");
        zsh.args(["60", "zsh", "-f", "-c", ZSH]).env("LINE", line);
        zsh.current_dir(cluster.folder.path("work"));
        let found = output(zsh);
        assert_eq!(found, format!("kubectl-flowcontrol {expected}\n"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_runs_a_program_for_completion() {
    let cluster = Cluster::start().await;
    let mut script = cluster.command("kubectl-flowcontrol");
    script.args(["completion", "kubectl"]);
    let script = output(script);
    assert!(script.starts_with("#!/bin/sh\n"), "{script}");
    let path = cluster
        .folder
        .file("bin/kubectl_complete-flowcontrol", script);
    let mut sh = cluster.command("sh");
    sh.args([&path, "describe", "plc/catch"]);
    assert_eq!(output(sh), "plc/catch-all\n:4\n");
    // kubectl itself, if it is installed.
    if !is_installed("kubectl") {
        return;
    }
    let mut make = cluster.command("chmod");
    make.args(["+x", &path]);
    output(make);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
    let bin = std::path::PathBuf::from(cluster.folder.path("bin"));
    let mut kubectl = cluster.command("kubectl");
    kubectl.env("PATH", super::path(&[&bin, program.parent().unwrap()]));
    kubectl.args(["__complete", "flowcontrol", "describe", "plc/catch"]);
    let out = output(kubectl);
    assert!(out.starts_with("plc/catch-all\n:4\n"), "{out}");
}
