//! Control characters in objects, logs and responses: the terminal never receives them.

use crate::cluster::Cluster;
use crate::cluster::made_up::{Answer, MadeUp};
use crate::common::{Folder, code, run, stderr, stdout};
use k8s_flowcontrol::api::v1;
use serde_json::{Value, json};

/// A title for the window, a color in 8 bits, a carriage return that overwrites, and text that runs backwards.
const EVIL: &str = "\x1b]0;owned\x07 \u{9b}31m \r \u{8} \u{202e}";
/// The same, in visible form.
const SHOWN: &str = "^[]0;owned^G \\u009b31m \\r ^H \\u202e";

/// Fails if a terminal would obey anything in the text except the colors of the program.
#[track_caller]
fn assert_harmless(text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c != '\n' && (c.is_control() || c == '\u{202e}')) {
        let style = &rest[at..];
        let end = style.find('m').unwrap_or_default();
        let is_style = style.starts_with("\x1b[")
            && style[2..end.max(2)]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b';');
        assert!(is_style && end > 0, "{text:?}");
        rest = &style[end..];
    }
}

/// The text as a string of YAML in ASCII.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        ' '..='~' => c.to_string(),
        c => format!("\\u{:04x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_objects_in_a_cluster() {
    let cluster = Cluster::of("1.32").await;
    let schema: v1::FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "evil", "annotations": {"note": format!("{EVIL}\nDangling:         False")}},
        "spec": {
            "priorityLevelConfiguration": {"name": "exempt"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": EVIL}}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    }))
    .unwrap();
    let api = cluster.client().api::<v1::FlowSchema>();
    api.create(&schema).await.unwrap();
    let described = cluster
        .run(&["describe", "fs/evil", "--color", "always"])
        .expect(0);
    assert_harmless(&described.out);
    assert!(
        described.out.contains(&format!("user {SHOWN}\n")),
        "{}",
        described.out
    );
    // A value cannot add a line.
    assert!(
        described.out.contains("\\nDangling:         False\n"),
        "{}",
        described.out
    );
    for command in [
        "get",
        "lint --live",
        "match --live --user x --verb get --path /",
    ] {
        let arguments: Vec<_> = command.split(' ').chain(["--color", "always"]).collect();
        let ran = cluster.run(&arguments);
        assert_harmless(&(ran.out + &ran.err));
    }
    // Programs receive the object unchanged; JSON and YAML do not contain control characters.
    let object = cluster.object("fs/evil");
    assert_eq!(
        object["spec"]["rules"][0]["subjects"][0]["user"]["name"],
        EVIL
    );
    let yaml = cluster.run(&["get", "fs/evil", "-o", "yaml"]).expect(0);
    assert!(!yaml.out.contains(|c: char| c.is_control() && c != '\n'));
    let copy = cluster.file("copy.yaml", &yaml.out);
    let read = run(&["convert", "-f", &copy, "-o", "json"]);
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(read["spec"], object["spec"]);
}

#[test]
fn of_objects_in_files() {
    let folder = Folder::new();
    let level = |name: &str, shares: &str| {
        let name = quoted(name);
        format!(
            "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: {name}\nspec:\n  type: Limited\n  limited:\n    nominalConcurrencyShares: {shares} # \u{202e}\n    limitResponse:\n      type: Reject\n"
        )
    };
    let evil = folder.file("evil\u{9b}.yaml", level(&format!("{EVIL}\nb"), "30"));
    let broken = folder.file("broken.yaml", level(EVIL, "x"));
    for (arguments, shown) in [
        (["seats", "-f", &evil].as_slice(), true),
        (&["lint", "-f", &evil], true),
        (&["validate", "-f", &evil], true),
        (&["validate", "-f", &broken], false),
        (&["seats", "-f", &broken], false),
        (&["seats", "-f", &folder.path(EVIL)], true),
    ] {
        let output = run(&[arguments, &["--color", "always"]].concat());
        assert!(code(&output) <= 3, "{output:?}");
        let text = stdout(&output) + &stderr(&output);
        assert_harmless(&text);
        assert!(!shown || text.contains(SHOWN), "{text}");
    }
    // The rows of a table stay rows.
    let table = stdout(&run(&["seats", "-f", &evil]));
    assert!(table.contains(&format!("{SHOWN}\\nb ")), "{table}");
}

#[test]
fn of_all_kinds_in_one_line() {
    let folder = Folder::new();
    for (name, shown) in [
        (
            "plain, tägliche 日本語 👩‍💻 and so on",
            "plain, tägliche 日本語 👩‍💻 and so on",
        ),
        ("\x1b]0;title\x07", "^[]0;title^G"),
        ("a\rb\x08\x00\x7f", "a\\rb^H^@^?"),
        ("\u{9b}31m\u{85}", "\\u009b31m\\u0085"),
        ("\u{202e}gpj.exe\u{2066}", "\\u202egpj.exe\\u2066"),
        ("a\u{2028}b\u{2029}\u{200f}", "a\\u2028b\\u2029\\u200f"),
        ("a\nb\tc\x1b", "a\\nb\\tc^["),
    ] {
        let level = json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
        });
        let file = folder.file("level.json", level.to_string());
        let table = stdout(&run(&["seats", "-f", &file]));
        assert!(table.contains(&format!("\n{shown}  ")), "{name:?}: {table}");
    }
}

/// A diff is data: `patch` must find the lines of the file.
#[test]
fn of_a_diff_that_is_piped() {
    let folder = Folder::new();
    let file = folder.file(
        "a.yaml",
        "# \u{202e}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata:\n  name: a\n",
    );
    let output = run(&["migrate", &file]);
    assert!(stdout(&output).contains("\n # \u{202e}\n"), "{output:?}");
}

#[test]
fn of_an_audit_log() {
    let folder = Folder::new();
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "1",
        "stage": "ResponseComplete", "verb": "get", "user": {"username": EVIL}, "userAgent": format!("{EVIL}\n  x"),
        "requestURI": "/apis/flowcontrol.apiserver.k8s.io/v1beta2/flowschemas",
        "objectRef": {"resource": "flowschemas", "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": "v1beta2"},
        "responseStatus": {"code": 200}, "stageTimestamp": "2024-01-01T00:00:00.000000Z",
    });
    let log = folder.file("audit.log", event.to_string());
    let output = run(&[
        "scan",
        "--audit-log",
        &log,
        "--kubeconfig",
        "missing",
        "--color",
        "always",
    ]);
    let text = stdout(&output) + &stderr(&output);
    assert_harmless(&text);
    assert!(text.contains(&format!("{SHOWN}\\n  x")), "{text}");
}

#[test]
fn of_errors_and_warnings_of_a_server() {
    let warning = "warning: 299 - \"beware \u{9b} of \u{202e}\"";
    let server = MadeUp::start();
    server.set("", Answer::error(403, EVIL).header(warning));
    for command in [
        ["get", "fs"],
        ["describe", "fs"],
        ["scan", "--no-helm"],
        ["top", "--once"],
    ] {
        let output = server.run(&[&command[..], &["--color", "always"]].concat());
        assert_eq!(code(&output), 5, "{output:?}");
        let text = stdout(&output) + &stderr(&output);
        assert_harmless(&text);
        assert!(text.contains(SHOWN), "{command:?}: {text}");
        // The styles of the program stay.
        let is_report = command[0] == "scan";
        assert!(
            is_report || text.contains("\x1b[1m\x1b[31merror:\x1b[0m "),
            "{text:?}"
        );
    }
}
