//! Options that cannot be used.

use crate::common::{Folder, code, run, stderr};

#[test]
fn a_wrong_option_names_its_mistake() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let other = folder.file("other.json", "{}");
    let tokens = folder.file("tokens.csv", "secret\n");
    let pem = folder.file("key.pem", "no key");
    let missing = folder.path("none/state.json");
    // A number that no run writes.
    let wrong = r#"{"kind": "LiveTraffic", "schemaVersion": 1, "windowUs": 1, "by": "caller", "totals": {"batch/batch": {"seatUs": -1}}}"#;
    let wrong = folder.file("wrong.json", wrong);
    let journal = folder.path("journal.json");
    let record = r#"{"sequence": 1, "events": 18446744073709551615, "requests": []}"#;
    folder.file("journal.json.journal", format!("{record}\n"));
    for (arguments, exit, expected) in [
        (vec!["--listen", "127.0.0.1:0"], 2, "--state"),
        (
            vec!["--listen", "127.0.0.1", "--state", &state],
            2,
            "--listen",
        ),
        (
            vec!["--listen", "0.0.0.0:0", "--state", &state],
            2,
            "without TLS and tokens",
        ),
        (
            vec!["--listen", "127.0.0.1:0", "--state", &other],
            3,
            "other.json: the text is not the state of an earlier run: missing field `kind`",
        ),
        (
            vec!["--follow", "a", "--state", &wrong],
            3,
            "wrong.json: totals.batch/batch.seatUs: invalid value: integer `-1`, expected",
        ),
        (
            vec!["--follow", "a", "--state", &journal],
            3,
            "journal.json.journal: line 1 is not a record of a batch: events: invalid value: integer `18446744073709551615`, expected a whole number from 0 to 1152921504606846975 at column",
        ),
        (
            vec!["--listen", "127.0.0.1:0", "--state", &missing],
            3,
            "cannot write",
        ),
        (
            vec![
                "--listen",
                "127.0.0.1:0",
                "--state",
                &state,
                "--tokens",
                &tokens,
            ],
            3,
            "tokens.csv:1: expected at least 3 columns",
        ),
        (
            vec![
                "--listen",
                "127.0.0.1:0",
                "--state",
                &state,
                "--tls-cert-file",
                &pem,
                "--tls-private-key-file",
                &pem,
            ],
            3,
            "the certificate or its private key cannot be used",
        ),
        (
            vec![
                "--listen",
                "127.0.0.1:0",
                "--state",
                &state,
                "--tls-cert-file",
                &pem,
            ],
            2,
            "--tls-private-key-file",
        ),
        (
            vec!["--follow", "a", "--audit-log", "b"],
            2,
            "cannot be used with",
        ),
        (vec!["--follow", "a", "--state", "a"], 2, "also uses it"),
        (vec!["--follow", "a", "--window", "1"], 2, "is not a time"),
        (
            vec!["--follow", "a", "--window", "100ms"],
            2,
            "between 1s and 24h",
        ),
        (
            vec!["--listen", "localhost:9443", "--state", &state],
            2,
            "expected an IP address with a port, such as 127.0.0.1:9443",
        ),
        // These count requests as they are logged. A log that is read once would ignore them.
        (
            vec!["--audit-log", "a", "--alert", "level.rejected>1%"],
            2,
            "--follow <LOG>",
        ),
        (
            vec!["--audit-log", "a", "--window", "5m"],
            2,
            "--follow <LOG>",
        ),
        (
            vec!["--audit-log", "a", "--interval", "5"],
            2,
            "--follow <LOG>",
        ),
        (
            vec!["--audit-log", "a", "--state", &state],
            2,
            "--follow <LOG>",
        ),
        (
            vec!["--audit-log", "a", "--by", "user", "--parquet", "b"],
            2,
            "cannot be used with",
        ),
        (
            vec!["--follow", "a", "--alert", "caller.requests>5"],
            2,
            "has no unit",
        ),
        (
            vec!["--follow", "/nowhere/audit.log", "--alert", "x"],
            2,
            "is not a threshold",
        ),
    ] {
        let mut all = vec!["traffic"];
        all.extend(&arguments);
        let output = run(&all);
        let said = stderr(&output);
        assert_eq!(code(&output), exit, "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert!(!said.contains("secret"), "{said}");
    }
}
