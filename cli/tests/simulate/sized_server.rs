//! `size`: the server that is sized, by its seats and its release.

use super::sizes::INTENTS;
use crate::common::{Folder, code, run, some_of, stderr, stdout};
use serde_json::Value;

/// `--server-seats` is the same as the number in the file, and contradicts another one.
#[test]
fn the_seats_of_the_server_come_from_the_flag_or_the_file() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");
    let seats = |arguments: &[&str]| {
        let output = run(&[&["size", &path, "-o", "json"], arguments].concat());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        (code(&output), json["seats"].as_u64().unwrap())
    };
    std::fs::write(&path, INTENTS.replace("server: {seats: 100}\n", "")).unwrap();
    let (exit, fewest) = seats(&[]);
    assert_eq!(exit, 0);
    assert_eq!(seats(&["--server-seats", "5"]), (1, 5));
    assert_eq!(seats(&["--server-seats", "100"]), (0, 100));
    assert_ne!(fewest, 100);

    std::fs::write(&path, INTENTS).unwrap();
    let stated = run(&["size", &path]);
    let given = run(&["size", &path, "--server-seats", "100"]);
    assert_eq!(stdout(&given), stdout(&stated));
    let other = run(&["size", &path, "--server-seats", "5"]);
    assert_eq!(code(&other), 2);
    let text = stderr(&other);
    assert!(
        text.contains("`--server-seats 5` contradicts 100 seats in ")
            && text.contains("intents.yaml\n"),
        "{text}"
    );
    let tiers = "tiers: [{name: S, seats: 100, price: 1}]";
    std::fs::write(&path, INTENTS.replace("seats: 100", tiers)).unwrap();
    let text = stderr(&run(&["size", &path, "--server-seats", "100"]));
    assert!(text.contains("contradicts server.tiers in "), "{text}");
    // The server that wrote the logs is another question.
    let output = run(&["size", &path, "--log-server-seats", "5"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--audit-log"));
}

#[test]
fn objects_are_in_a_version_that_the_release_serves() {
    let folder = Folder::new();
    let (path, report) = (folder.path("intents.yaml"), folder.path("size.json"));
    std::fs::write(&path, INTENTS).unwrap();
    let releases = vec![
        ("1.25", "v1beta2", "assuredConcurrencyShares"),
        ("1.28", "v1beta3", "nominalConcurrencyShares"),
        ("1.37", "v1", "nominalConcurrencyShares"),
    ];
    for (release, version, shares) in some_of(releases, 3) {
        let output = run(&["size", &path, "--kubernetes", release]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let manifests = stdout(&output);
        let api_version = format!("apiVersion: flowcontrol.apiserver.k8s.io/{version}\n");
        assert_eq!(manifests.matches(&api_version).count(), 2, "{manifests}");
        let lines: Vec<_> = manifests.lines().map(str::trim).collect();
        let at = lines.iter().position(|line| line.starts_with(shares));
        let reason = lines[at.unwrap() - 1];
        assert!(reason.starts_with("# shares "), "{manifests}");
        let file = folder.path("objects.yaml");
        std::fs::write(&file, &manifests).unwrap();
        let checked = run(&["validate", "-f", &file, "--kubernetes", release]);
        assert_eq!(code(&checked), 0, "{}", stderr(&checked));

        // Later, the report is read again.
        let output = run(&["size", &path, "--kubernetes", release, "-o", "json"]);
        std::fs::write(&report, &output.stdout).unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        // The reasons name fields of the objects.
        assert_eq!(json["changes"][0]["reasons"][0]["field"], shares, "{json}");
        assert!(
            json["objects"][0]["spec"]["limited"][shares].is_number(),
            "{json}"
        );
        let drift = [
            "size",
            &path,
            "--kubernetes",
            release,
            "--watch-drift",
            &report,
        ];
        let output = run(&drift);
        assert!(stderr(&output).contains("met"), "{}", stderr(&output));
        let more = folder.path("more.yaml");
        std::fs::write(&more, INTENTS.replace("concurrent: 100", "concurrent: 300")).unwrap();
        let of_more = |output| {
            let args = [
                "size",
                &more,
                "--kubernetes",
                release,
                "--watch-drift",
                &report,
            ];
            run(&[&args[..], &["-o", output]].concat())
        };
        let json: Value = serde_json::from_slice(&of_more("json").stdout).unwrap();
        assert_eq!(json["changes"][0]["field"], shares, "{json}");
        let words = stderr(&of_more("yaml"));
        assert!(words.contains(&format!("{shares} ")), "{words}");
        let other = run(&[&drift[..], &["--server-seats", "99"]].concat());
        assert!(stderr(&other).contains("`--server-seats 99` contradicts 100 seats in "));
    }
    // A limit needs no borrowing limit where levels do not borrow.
    std::fs::write(&path, format!("{INTENTS}  neverMoreThan: {{seats: 50}}\n")).unwrap();
    let output = run(&["size", &path, "--kubernetes", "1.25"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(!stdout(&output).contains("borrowingLimitPercent"));
}
