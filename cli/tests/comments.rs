//! `--comment markdown`: a short table, and the details folded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

#[allow(dead_code, reason = "each test file uses its part")]
mod common;

use common::{code, run, stderr, stdout};

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
            "| batch | 15855 requests, 0 → 0 rejected |",
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
