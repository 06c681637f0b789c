//! Builds the programs in `examples/`, and runs them.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The folder of the examples, built once for all tests from the sources as they are now.
static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| {
    // Cargo keeps this program in `TARGET/PROFILE/deps`.
    let program = env::current_exe().unwrap();
    let folder = program.ancestors().nth(2).unwrap();
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        profile => profile,
    };
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--examples", "--profile", profile])
        // With the features of this program, so that nothing is compiled again; the gate turns on more than the default ones.
        .args([
            "--features",
            &env::var("FLOWCONTROL_TEST_FEATURES").unwrap_or_default(),
        ])
        .arg("--target-dir")
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    // Cargo tells a test about its package. Build scripts that look at these variables (ring's) would run again.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            build.env_remove(&name);
        }
    }
    let built = build.status().unwrap();
    assert!(built.success(), "the examples do not compile");
    folder.join("examples")
});

/// Runs an example and returns its output.
pub(crate) fn run(name: &str, arguments: &[&str]) -> String {
    run_with(name, arguments, None)
}

/// The same with a kubeconfig file.
pub(crate) fn run_with(name: &str, arguments: &[&str], kubeconfig: Option<&Path>) -> String {
    let mut command = example(name);
    command.args(arguments).env_remove("KUBECONFIG");
    if let Some(kubeconfig) = kubeconfig {
        command.env("KUBECONFIG", kubeconfig);
    }
    output(&mut command)
}

/// A command that runs an example.
pub(crate) fn example(name: &str) -> Command {
    Command::new(EXAMPLES.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Runs an example to its end, and returns its output.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{command:?} failed:\n{out}\n{err}");
    out
}

/// Runs an example with standard input.
pub(crate) fn run_with_input(name: &str, input: &str) -> serde_json::Value {
    let mut child = example(name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{name} failed");
    serde_json::from_slice(&output.stdout).unwrap()
}
