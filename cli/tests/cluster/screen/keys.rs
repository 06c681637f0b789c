//! The keys of the view.

use super::drawing::{levels, server};
use super::{NEVER, Terminal};
use crate::cluster::made_up::{LEVELS, level};

/// The names of the levels on the screen.
fn names(screen: &str) -> Vec<&str> {
    let lines = screen.lines().skip(3).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn levels_are_sorted_by_each_column_in_turn() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 70], NEVER, "");
    terminal.wait(|screen| screen.contains("q quit"));
    for (column, expected) in [
        ("INUSE", ["system", "batch", "workload-low"]),
        ("WAITING", ["batch", "workload-low", "system"]),
        ("REJECTED/S", ["batch", "workload-low", "system"]),
        ("BORROWED", ["batch", "system", "workload-low"]),
        ("PRIORITYLEVEL", ["batch", "system", "workload-low"]),
        ("INUSE", ["system", "batch", "workload-low"]),
    ] {
        // Other keys have no effect.
        terminal.press("x\u{13}");
        terminal.wait(|screen| screen.contains(&format!("▾{column}")) && names(screen) == expected);
        let mut reversed = expected;
        reversed.reverse();
        terminal.press("r");
        terminal.wait(|screen| screen.contains(&format!("▴{column}")) && names(screen) == reversed);
        terminal.press("rs");
    }
    terminal.press("\u{1b}[D");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_selection_moves_by_lines_and_pages() {
    let server = server();
    let levels = (0..40).map(|index| level(&format!("level-{index:02}"), 40 - index, 0, 20));
    server.set_levels(&levels.collect::<Vec<_>>());
    let mut terminal = Terminal::top(&server.folder, [13, 60], NEVER, "");
    // Six levels are a page.
    for (keys, selected) in [
        ("", "level-00"),
        ("\u{1b}[Ajj", "level-02"),
        ("k\u{1b}[B", "level-02"),
        ("\u{1b}[6~", "level-08"),
        ("\u{1b}[5~", "level-02"),
        ("\u{1b}[5~", "level-00"),
        ("G", "level-39"),
        ("\u{1b}[Bk", "level-38"),
        ("\u{1b}[H", "level-00"),
        ("\u{1b}[F", "level-39"),
        ("g", "level-00"),
    ] {
        terminal.press(keys);
        terminal.wait_for_selected(selected);
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_key_and_a_new_size_at_once_both_count() {
    const COLUMNS: [&str; 5] = [
        "WAITING",
        "REJECTED/S",
        "BORROWED",
        "PRIORITYLEVEL",
        "INUSE",
    ];
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 70], NEVER, "");
    terminal.wait(|screen| screen.contains("q quit"));
    let sizes = [14, 13].into_iter().cycle();
    for (rows, column) in sizes.zip(COLUMNS.iter().cycle()).take(30) {
        terminal.resize(rows, 70);
        terminal.press("s");
        terminal
            .wait(|screen| screen.contains(&format!("▾{column}")) && screen.ends_with("q quit"));
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_selection_follows_its_level() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 60], 1, "");
    terminal.wait(|screen| screen.contains("q quit"));
    terminal.press("j");
    terminal.wait_for_selected("batch");
    // It moves up in the next reading.
    let mut moved = levels();
    moved[0].in_use = 24;
    server.set_levels(&moved);
    terminal.wait(|screen| names(screen).first() == Some(&"batch"));
    terminal.wait_for_selected("batch");
    // A deleted level loses the selection.
    server.set_levels(&moved[2..]);
    terminal.wait_for_selected("workload-low");
    // Without levels there is nothing to select or to open.
    server.set_levels(&[]);
    terminal.wait(|screen| names(screen).is_empty());
    terminal.press("j\r");
    server.set_levels(&levels());
    terminal.wait_for_selected("system");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_flows_of_a_level_scroll() {
    let server = server();
    let flows = (0..40).map(|index| format!("flow-{index:02}"));
    let flows: Vec<_> = flows.collect();
    let flows = flows.iter().enumerate();
    let mut flows: Vec<_> = flows
        .map(|(index, name)| ("batch", name.as_str(), 1, 40 - index))
        .collect();
    flows.push(("system", "other", 1, 100));
    server.set_flows(&flows);
    let mut terminal = Terminal::top(&server.folder, [13, 60], NEVER, "");
    terminal.wait(|screen| screen.contains("\nother "));
    terminal.press("j\u{1b}[C");
    // Three flows fit.
    for (keys, first) in [
        ("", "flow-00"),
        ("kjj", "flow-02"),
        ("\u{1b}[6~", "flow-05"),
        ("\u{1b}[F", "flow-37"),
        ("jk", "flow-36"),
        ("\r\u{1b}[H", "flow-00"),
    ] {
        terminal.press(keys);
        let screen = terminal.wait(|screen| {
            let mut lines = screen
                .lines()
                .skip_while(|line| !line.starts_with("BUSIEST"));
            lines.nth(1).is_some_and(|line| line.starts_with(first))
        });
        assert!(screen.contains("PRIORITYLEVEL batch"), "{screen}");
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_pause_keeps_the_numbers() {
    let server = server();
    let mut terminal = Terminal::top(&server.folder, [13, 60], 1, "");
    terminal.wait(|screen| screen.contains("q quit"));
    terminal.press(" ");
    terminal.wait(|screen| screen.contains("PAUSED"));
    server.set_levels(&[]);
    // Three readings have begun, so that at least one came to the view.
    server.wait_for(LEVELS, 3);
    terminal.press("r");
    let screen = terminal.wait(|screen| screen.contains('▴'));
    assert_eq!(names(&screen).len(), 3, "{screen}");
    terminal.press("p");
    terminal.wait(|screen| names(screen).is_empty());
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
