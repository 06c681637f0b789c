//! `--comment markdown`: a short table, and the details folded.

use crate::common::{Folder, Served, code, run, stderr, stdout};

#[test]
fn each_command_has_its_short_table() {
    let load = "examples/load.yaml";
    let batch = "examples/batch.yaml";
    for (command, exit, expected) in [
        (
            &["lint", "-f", "examples/mistakes.yaml"][..],
            1,
            "| errors | 1 |",
        ),
        (
            &["seats", "--compare", batch],
            0,
            "| batch | added, nominal limit 0 → 35 (+35) |",
        ),
        (
            &["preview", "--from-release", "1.31", "--to-release", "1.32"],
            0,
            "| changes | 5 |",
        ),
        (
            &["simulate", "--load", load, "--compare", batch],
            0,
            "| batch | 15855 requests, 0 → 0 with status 429 |",
        ),
        (
            &[
                "traffic",
                "--audit-log",
                "tests/tour/audit.log",
                "--compare",
                batch,
            ],
            0,
            "| requests that move | ",
        ),
    ] {
        let output = run(&[command, &["--comment", "markdown"]].concat());
        assert_eq!(code(&output), exit, "{command:?}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(text.starts_with("### "), "{text}");
        assert!(text.contains(expected), "{command:?}: {text}");
        // The details are the output without the option.
        let plain = stdout(&run(command));
        let (_, details) = text.split_once("\n\n```text\n").unwrap();
        let (details, end) = details.split_once("\n```\n").unwrap();
        assert_eq!(details, plain.trim_end());
        assert_eq!(end, "\n</details>\n");
    }
}

#[test]
fn a_sized_configuration_is_a_comment() {
    let folder = Folder::new();
    let intents = folder.file(
        "intents.yaml",
        "server: {seats: 100}\nduration: 5s\nintents:\n- client: {user: alice}\n  waits: {max: 0s}\n  \
         atLoad: {concurrent: 20, meanSeconds: 0.2}\n",
    );
    let output = run(&["size", &intents, "--comment", "markdown"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("### "), "{text}");
    assert!(text.contains("| Seats of each server | 100 |"), "{text}");
    assert!(text.contains("kind: PriorityLevelConfiguration"), "{text}");
    assert!(text.ends_with("\n</details>\n"), "{text}");
}

#[test]
fn a_failed_run_has_a_comment() {
    let output = run(&["lint", "-f", "missing.yaml", "--comment", "markdown"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("### "), "{text}");
    assert!(text.contains("ended with exit code 3."), "{text}");
    assert!(stderr(&output).contains("missing.yaml"));
}

fn level(name: &str) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: {}}}\nspec: {{type: Limited, limited: {{limitResponse: {{type: Reject}}}}}}\n---\n",
        serde_json::to_string(name).unwrap()
    )
}

#[test]
fn names_are_not_markup_and_details_end() {
    let folder = Folder::new();
    let comment = |text: String| {
        let file = folder.file("levels.yaml", text);
        let output = run(&["seats", "--compare", &file, "--comment", "markdown"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let text = comment(level("a|b @all <script>\n````"));
    let cell = "| a&#124;b &#64;all &#60;script&#62; &#96;&#96;&#96;&#96; | added";
    assert!(text.contains(cell), "{text}");
    // The fence is longer than every fence inside.
    assert!(
        text.contains("\n`````text\n") && text.contains("\n`````\n"),
        "{text}"
    );
    let hostile = "www.evil.example https://evil.example #1 &lt;b&gt; $x$ ~~y~~ \u{202e}";
    let text = comment(level(hostile));
    let (short, _) = text.split_once("<details>").unwrap();
    assert!(short.contains("evil.example"), "{text}");
    for markup in ["www.", "https:", " #1", "&lt;", "$", "~", "\u{202e}"] {
        assert!(!short.contains(markup), "{markup:?} in {text}");
    }
    let long = (0..400).map(|number| level(&format!("{number}-{}", "é".repeat(200))));
    let text = comment(long.collect());
    let (_, details) = text.split_once("<details>").unwrap();
    assert!(details.chars().count() < 61_000);
    assert!(
        details.ends_with("\n```\n\nThe rest is left out.\n\n</details>\n"),
        "{text}"
    );
}

/// A user with a token, one with a password, and a proxy with a password in its address.
#[test]
fn no_output_has_a_secret() {
    let folder = Folder::new();
    let tokens = folder.file(
        "tokens.csv",
        "planted-token,admin,admin-uid,\"system:masters\"\n",
    );
    let kubeconfig = folder.path("kubeconfig");
    let options = [
        "--tokens",
        &tokens,
        "--write-kubeconfig",
        &kubeconfig,
        "-f",
        "examples/batch.yaml",
    ];
    let _served = Served::start(&options);
    let valid = std::fs::read_to_string(&kubeconfig).unwrap();
    assert!(valid.contains("planted-token"));
    let rejected = folder.file(
        "rejected",
        valid.replace("planted-token", "planted-other-token"),
    );
    let password = "username: planted-user\n    password: planted-password";
    let basic = folder.file("basic", valid.replace("token: planted-token", password));
    let proxy = "proxy-url: http://proxy:planted-proxy-password@127.0.0.1:9\n    server: ";
    let proxied = folder.file("proxied", valid.replacen("server: ", proxy, 1));
    for file in [&rejected, &basic, &proxied] {
        assert_ne!(std::fs::read_to_string(file).unwrap(), valid, "{file}");
    }

    let batch = "examples/batch.yaml";
    let log = "tests/tour/audit.log";
    let commands: &[&[&str]] = &[
        &["diff", "-f", batch],
        &["diff", "-f", batch, "--comment", "markdown"],
        &["lint", "--live", "--comment", "markdown"],
        &["lint", "--live", "-o", "sarif"],
        &[
            "seats",
            "--live",
            "--compare",
            batch,
            "--comment",
            "markdown",
        ],
        &[
            "traffic",
            "--live",
            "--audit-log",
            log,
            "--comment",
            "markdown",
        ],
        &["preview", "1.37", "--live", "--comment", "markdown"],
        &["get", "fs,plc", "-o", "yaml"],
        &["describe", "plc/batch"],
        &["diagnose"],
        &["top"],
        &["whoami", "-o", "json"],
        &["scan", "-o", "json"],
        &["validate", "-f", batch, "--live"],
        &["apply", "-f", batch, "--dry-run"],
    ];
    let mut succeeded = 0;
    // Without a connection, commands try again for seconds: two of them are enough.
    let runs = [
        (&kubeconfig, commands),
        (&rejected, commands),
        (&basic, commands),
        (&proxied, &commands[7..9]),
    ];
    for (kubeconfig, commands) in runs {
        for command in commands {
            let output = run(&[command, &["--kubeconfig", kubeconfig][..]].concat());
            succeeded += u32::from(code(&output) < 2);
            let text = stdout(&output) + &stderr(&output);
            assert!(!text.contains("planted-token"), "{command:?}: {text}");
            assert!(!text.contains("planted-other-token"), "{command:?}: {text}");
            assert!(!text.contains("planted-password"), "{command:?}: {text}");
            assert!(!text.contains("planted-proxy"), "{command:?}: {text}");
            // The name of a user and a token in base64 are in no output either.
            assert!(!text.contains("cGxhbnRlZ"), "{command:?}: {text}");
        }
    }
    // With the right token all commands do their work, so that the texts above come from real runs.
    assert!(succeeded >= 15, "{succeeded}");
}
