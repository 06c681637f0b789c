//! The view on screens of all sizes.

use super::{NEVER, Terminal};
use crate::cluster::made_up::{Answer, Level, METRICS, MadeUp, REQUESTS, level};
use crate::common::some_of;
use unicode_width::UnicodeWidthStr;

/// Three levels and their flows.
pub(super) fn levels() -> [Level; 3] {
    [
        level("batch", 5, 9, 25),
        level("system", 8, 0, 20),
        level("workload-low", 5, 3, 11),
    ]
}

/// A server with three levels and their flows.
pub(super) fn server() -> MadeUp {
    let server = MadeUp::start();
    server.set_levels(&levels());
    server.set_flows(&[
        ("batch", "alice", 1, 6),
        ("batch", "bob", 1, 3),
        ("workload-low", "kube-system", 1, 3),
    ]);
    server
}

/// The lines, with rates other than 0 as `#.#`: they depend on the time between two readings.
fn without_rates(lines: &[String]) -> Vec<String> {
    let is_rate = |word: &str| word.contains('.') && word.parse().is_ok_and(|rate: f64| rate > 0.0);
    let hidden = |line: &String| {
        let mut line = line.clone();
        let words: Vec<_> = line.split(' ').filter(|word| is_rate(word)).collect();
        for word in words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
        {
            line = line.replacen(&word, &format!("{:>1$}", "#.#", word.len()), 1);
        }
        line
    };
    lines.iter().map(hidden).collect()
}

#[test]
fn levels_and_flows() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 60], NEVER, "");
    terminal.wait(|screen| screen.contains("q quit"));
    assert_eq!(
        without_rates(&terminal.lines()),
        [
            "kubectl flowcontrol top   1 API server, every 3600 s",
            "",
            "PRIORITYLEVEL ▾INUSE LIMIT WAITING REJECTED/S BORROWED",
            "system             8    20       0        0.0        0",
            "batch              5    25       9        #.#       +5",
            "workload-low       5    11       3        #.#       -9",
            "",
            "BUSIEST FLOWS FLOWSCHEMA    PRIORITYLEVEL EXECUTING WAITING",
            "alice         service-acco… batch                 1       6",
            "bob           service-acco… batch                 1       3",
            "kube-system   service-acco… workload-low          1       3",
            "",
            "enter open  ↑↓ select  s sort  r reverse  p pause  q quit",
        ]
    );
    // Levels whose requests wait or are rejected have a color.
    let has_color = |terminal: &Terminal, row| {
        let cell = terminal.parser.screen().cell(row, 0).unwrap();
        cell.fgcolor() != vt100::Color::Default
    };
    assert!(!has_color(&terminal, 3) && has_color(&terminal, 4));
    // A wide screen has bars, and the whole names of flow schemas.
    terminal.resize(14, 100);
    terminal.wait(|screen| screen.contains("service-accounts") && screen.ends_with("q quit"));
    let lines = terminal.lines();
    assert_eq!(
        lines[2],
        "PRIORITYLEVEL                                          ▾INUSE LIMIT WAITING REJECTED/S BORROWED"
    );
    assert!(
        lines[3].starts_with("system        ████████████████░░░░░░░░░░░░░░"),
        "{}",
        lines[3]
    );
    assert!(lines[8].contains(" service-accounts "), "{}", lines[8]);
    // A level with its flows.
    terminal.resize(13, 60);
    terminal.wait(|screen| screen.ends_with("q quit"));
    terminal.press("\u{1b}[B\r");
    terminal.wait(|screen| screen.ends_with("esc back  ↑↓ scroll  p pause  q quit"));
    assert_eq!(
        without_rates(&terminal.lines()),
        [
            "kubectl flowcontrol top   1 API server, every 3600 s",
            "",
            "PRIORITYLEVEL batch",
            "in use     5 of 25 seats        ██████░░░░░░░░░░░░░░░░░░░░░░",
            "limit      25, nominal 20, 5 borrowed from other levels",
            "requests   5 executing, 9 waiting",
            "rejected   #.# per second, 90 since the start of the server"
                .replace("#.#", " #.#")
                .as_str(),
            "",
            "BUSIEST FLOWS FLOWSCHEMA       EXECUTING WAITING",
            "alice         service-accounts         1       6",
            "bob           service-accounts         1       3",
            "",
            "esc back  ↑↓ scroll  p pause  q quit",
        ]
    );
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_exempt_level_has_no_limit_and_a_deleted_level_is_gone() {
    let server = server();
    server.set_levels(&[level("exempt", 3, 0, 0)]);
    let mut terminal = Terminal::top(&server.folder, [13, 60], 1, "");
    terminal.wait(|screen| {
        screen.contains("\nexempt             3  none       0        0.0        -\n")
    });
    terminal.press("\r");
    terminal.wait(|screen| screen.contains("\nin use     3 seats, without a limit\n"));
    server.set_levels(&[]);
    terminal.wait(|screen| screen.contains("\nno API server has this level any more\n"));
    // From the levels, the key for back quits.
    terminal.press("\u{7f}\u{7f}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_lost_connection_and_a_pause() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 60], 1, "");
    terminal.wait(|screen| screen.contains("q quit"));
    terminal.press("p");
    server.set("", Answer::error(403, "connection\nrefused"));
    for path in [METRICS, REQUESTS, crate::cluster::made_up::LEVELS] {
        server.set(path, Answer::error(403, "connection\nrefused"));
    }
    // The time goes on.
    terminal.wait(|screen| {
        let (_, lost) = screen
            .split_once("\nconnection lost for ")
            .unwrap_or_default();
        let (seconds, _) = lost.split_once(" s: ").unwrap_or_default();
        seconds.parse().is_ok_and(|seconds: u32| seconds >= 2)
    });
    let lines = terminal.lines();
    assert_eq!(
        lines[0],
        "kubectl flowcontrol top   1 API server, every 1 s   PAUSED"
    );
    assert!(lines[3].starts_with("system "), "{}", lines[3]);
    // The reason is one line.
    terminal.resize(13, 250);
    terminal.wait(|screen| screen.contains("connection\\nrefused"));
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn missing_parts_are_above_the_keys() {
    let server = server();
    server.set(METRICS, Answer::error(403, "no \u{1b}]0;title\u{7}"));
    server.set(REQUESTS, Answer::error(403, "no"));
    let mut terminal = Terminal::top(&server.folder, [13, 200], NEVER, "");
    terminal.wait(|screen| screen.contains("q quit"));
    let lines = terminal.lines();
    assert!(
        lines[11].starts_with("no metrics: ") && lines[11].ends_with(" (and 1 more)"),
        "{}",
        lines[11]
    );
    assert!(lines[11].contains("^[]0;title^G"), "{}", lines[11]);
    // Nothing is known about the requests.
    let has_none = lines.iter().any(|line| line.contains("no request"));
    assert!(!has_none, "{lines:?}");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn without_color_the_selection_shows() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 60], NEVER, "NO_COLOR=1");
    terminal.wait(|screen| screen.contains("q quit"));
    assert!(terminal.selected().starts_with("system "));
    let screen = terminal.parser.screen();
    for (row, column) in (0..13).flat_map(|row| (0..60).map(move |column| (row, column))) {
        let cell = screen.cell(row, column).unwrap();
        assert_eq!(cell.fgcolor(), vt100::Color::Default, "{row}, {column}");
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// The beginning of a text that fits, with an ellipsis if it is not the whole text.
fn cut(text: &str, width: u16) -> String {
    let width = usize::from(width);
    match text.width() <= width {
        true => text.to_owned(),
        false => text.chars().take(width - 1).chain(['…']).collect(),
    }
}

#[test]
fn every_size_can_be_drawn() {
    const KEYS: [&str; 2] = [
        "enter open  ↑↓ select  s sort  r reverse  p pause  q quit",
        "esc back  ↑↓ scroll  p pause  q quit",
    ];
    let server = server();
    let levels = (0..40).map(|index| level(&format!("level-{index:02}"), 40 - index, 0, 20));
    server.set_levels(&levels.collect::<Vec<_>>());
    let names = (0..40).map(|index| format!("日本-{index}\u{1b}]0;title\u{7}\u{202e}"));
    let names: Vec<_> = names.collect();
    let flows = names.iter().enumerate();
    let flows = flows.map(|(index, name)| ("level-39", name.as_str(), 1, index));
    server.set_flows(&flows.collect::<Vec<_>>());
    let mut terminal = Terminal::top(&server.folder, [40, 100], NEVER, "");
    terminal.wait(|screen| screen.contains("q quit"));
    terminal.press("G");
    terminal.wait_for_selected("level-39");
    let sizes = (1..70).step_by(3);
    let sizes = sizes.flat_map(|width| (1..30).map(move |height| (height, width)));
    let sizes: Vec<(u16, u16)> = sizes.collect();
    for keys in KEYS {
        // On three lines, the header of the table and the keys would share a line.
        for (height, width) in some_of(sizes.clone(), 23).chain([(3, 64)]) {
            terminal.resize(height, width);
            // The last line is drawn last.
            let last = cut(keys, width);
            terminal.wait_until(
                |terminal| terminal.lines().last() == Some(&last),
                &format!("{width}x{height}"),
            );
            // The selected level stays on the screen, if there is room for it.
            if keys == KEYS[0] && height >= 6 && width >= 20 {
                assert!(
                    terminal.selected().starts_with("level-39"),
                    "{width}x{height}: {:#?}",
                    terminal.lines()
                );
            }
        }
        terminal.resize(40, 100);
        terminal.wait_until(|terminal| terminal.lines()[39] == keys, keys);
        // The lines above the last one can be of a former size for a moment.
        terminal.wait(|screen| screen.contains("日本-39^[]0;title^G\\u202e"));
        terminal.press("\r");
        terminal.wait(|screen| screen.ends_with(KEYS[1]));
    }
    assert!(!terminal.raw.contains(['\u{202e}', '\u{7}']));
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
