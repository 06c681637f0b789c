//! Tables on a terminal of 60 columns.

use crate::cluster::Cluster;
use crate::common::{Folder, run, some_of, stdout};
use serde_json::json;
use std::process::Command;
use unicode_width::UnicodeWidthStr;

/// Runs the program on a terminal, after a command of the shell.
fn on_terminal(folder: &Folder, before: &str, arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    let kubeconfig = folder.path("kubeconfig");
    let script = format!("{before}; KUBECONFIG='{kubeconfig}' NO_COLOR=1 '{program}' {arguments}");
    let mut command = Command::new("script");
    command
        .args(["-qec", &script, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("COLUMNS");
    let output = command.output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .replace("\r\n", "\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_table_is_wider_than_the_terminal() {
    let cluster = Cluster::of("1.37").await;
    let labels = json!({"name": "a-level-with-a-name-of-40-characters-or-so"});
    cluster.level(labels, 5, "me").await;
    for (command, expected) in [
        ("seats --live", "workload-low"),
        ("seats --live --compare examples/batch.yaml", "→"),
        ("get", "a-level-with-a-name"),
        ("get -o wide", "QUEUELENGTHLIMIT"),
        ("get plc --show-load", "WAITING"),
        ("top --once", "EXECUTING"),
        ("whoami", "PRIORITYLEVEL"),
        ("scan --no-helm", "VERDICT"),
        ("plan --from-release 1.27 examples", "APPLY"),
        ("simulate --load examples/load.yaml", "RETRIED"),
        (
            "create protect sa flux-system/kustomize-controller --at-least 20 2>&1 >/dev/null",
            "AFTER",
        ),
    ] {
        for before in ["export COLUMNS=60", "stty rows 24 cols 60"] {
            let text =
                tokio::task::block_in_place(|| on_terminal(&cluster.folder, before, command));
            // Progress is on the same line as the text after it.
            let lines = text
                .lines()
                .map(|line| line.rsplit("\u{1b}[K").next().unwrap());
            let is_command = |line: &str| line.starts_with("kubectl flowcontrol");
            let is_wide = |line: &&str| line.chars().count() > 60 && !is_command(line);
            let wide: Vec<_> = lines.filter(is_wide).collect();
            assert!(wide.is_empty(), "{command}: {wide:#?}");
            assert!(text.contains(expected), "{command}: {text}");
        }
    }
    let wide = tokio::task::block_in_place(|| {
        on_terminal(&cluster.folder, "export COLUMNS=200", "seats --live")
    });
    assert!(wide.lines().next().unwrap().ends_with("BAR"), "{wide}");
}

/// A level as a manifest.
fn level(name: &str, shares: u32, lending: &str) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: '{name}'}}\nspec: {{type: Limited, limited: {{nominalConcurrencyShares: {shares}, {lending}limitResponse: {{type: Reject}}}}}}\n"
    )
}

/// Seats of levels with a long name and a name in wide characters.
fn seats(folder: &Folder) -> String {
    let long = "system:serviceaccount:ci:builder and others";
    let lending = "lendablePercent: 50, borrowingLimitPercent: 20, ";
    let objects = format!(
        "{}---\n{}",
        level(long, 30, lending),
        level("日本語", 10, "")
    );
    let file = folder.file("levels.yaml", objects);
    format!("seats --only-these -f '{file}'")
}

#[test]
fn the_bar_of_few_seats_is_not_empty() {
    let folder = Folder::new();
    let objects = format!("{}---\n{}", level("large", 2000, ""), level("small", 1, ""));
    let file = folder.file("levels.yaml", objects);
    let table = stdout(&run(&["seats", "--only-these", "-f", &file]));
    let row = table.lines().find(|line| line.starts_with("small "));
    assert!(
        row.unwrap()
            .ends_with(" █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"),
        "{table}"
    );
}

#[test]
fn wide_terminals_and_files_have_whole_rows() {
    let folder = Folder::new();
    let seats = seats(&folder);
    let arguments = seats.replace('\'', "");
    // Without the warning that a server rejects such names.
    let seats = format!("{seats} 2>/dev/null");
    let whole = stdout(&run(&arguments.split(' ').collect::<Vec<_>>()));
    assert!(
        whole.starts_with(
            "\
NAME                                          TYPE      SHARES   NOMINAL   MINIMUM   MAXIMUM   LENDABLE   BORROWING   BAR
catch-all                                     Limited   5        67        67        667       0          no limit    ████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
exempt                                        Exempt    0        0         0         600       0          no limit    ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
system:serviceaccount:ci:builder and others   Limited   30       400       200       480       200        80          █████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░
日本語                                        Limited   10       134       134       734       0          no limit    █████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
"
        ),
        "{whole}"
    );
    let width = whole
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap();
    let text = on_terminal(&folder, &format!("export COLUMNS={width}"), &seats);
    assert_eq!(text, whole);
    // One column less: two blanks between columns.
    let text = on_terminal(&folder, &format!("export COLUMNS={}", width - 1), &seats);
    let row = text.lines().nth(3).unwrap();
    assert!(
        row.starts_with("system:serviceaccount:ci:builder and others  Limited  30  "),
        "{text}"
    );
}

#[test]
fn long_cells_continue_and_columns_that_do_not_fit_follow() {
    let folder = Folder::new();
    let seats = format!("{} 2>/dev/null", seats(&folder));
    let text = on_terminal(&folder, "export COLUMNS=60", &seats);
    assert_eq!(
        text,
        "\
NAME                       TYPE     SHARES  NOMINAL  MINIMUM
catch-all                  Limited  5       67       67
exempt                     Exempt   0       0        0
system:serviceaccount:ci:  Limited  30      400      200
builder and others
日本語                     Limited  10      134      134

NAME                            MAXIMUM  LENDABLE  BORROWING
catch-all                       667      0         no limit
exempt                          600      0         no limit
system:serviceaccount:ci:       480      200       80
builder and others
日本語                          734      0         no limit

NAME                           BAR
catch-all                      ███░░░░░░░░░░░░░░░░░░░░░░░░░░
exempt                         ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
system:serviceaccount:ci:      ██████████▓▓▓▓▓▓▓▓▓░░░░
builder and others
日本語                         ██████░░░░░░░░░░░░░░░░░░░░░░░
600 seats per server (default), Kubernetes 1.37; █ minimum,
▓ nominal, ░ maximum
added mandatory levels: catch-all and exempt
"
    );
    // No line is longer than the terminal, however narrow it is, and no bar continues on the next line.
    for columns in some_of((8_usize..120).collect(), 9) {
        let text = on_terminal(&folder, &format!("export COLUMNS={columns}"), &seats);
        let (tables, _) = text.rsplit_once("\n600").unwrap();
        let is_bar = |line: &&str| line.ends_with(['█', '▓', '░']);
        assert_eq!(
            tables.lines().filter(is_bar).count(),
            4,
            "{columns}: {text}"
        );
        let width = |line: &str| line.width();
        let wide: Vec<_> = text.lines().filter(|line| width(line) > columns).collect();
        assert!(wide.is_empty(), "{columns}: {wide:#?}");
    }
}

/// A pipe receives the same diff unchanged.
#[test]
fn data_is_escaped_on_a_terminal() {
    let folder = Folder::new();
    let file = folder.file(
        "a.yaml",
        "# \u{202e}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata:\n  name: a\n",
    );
    let text = on_terminal(&folder, "true", &format!("migrate '{file}'"));
    assert!(text.contains("\n # \\u202e\n"), "{text}");
}
