use super::super::view::tests::{flow, level, snapshot};
use super::super::view::{Key, View};
use super::draw;
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;
use std::time::Duration;

fn screen(view: &mut View, width: u16, height: u16, has_color: bool) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let drawn = terminal.draw(|frame| {
        let area = frame.area();
        draw(view, 2, has_color, area, frame.buffer_mut());
    });
    drawn.unwrap().buffer.clone()
}

fn lines(view: &mut View, width: u16, height: u16) -> Vec<String> {
    let buffer = screen(view, width, height, true);
    let line = |y| {
        let cells = (0..width).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>().trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

#[test]
fn levels_and_flows_on_60_columns() {
    assert_eq!(
        lines(&mut View::new(snapshot()), 60, 13),
        [
            "kubectl flowcontrol top   1 API server, every 2 s",
            "",
            "PRIORITYLEVEL ▾INUSE LIMIT WAITING REJECTED/S BORROWED",
            "system             8    20       0        0.0        0",
            "batch              5    25       9        4.5       +5",
            "workload-low       5    11       3        1.5       -9",
            "",
            "BUSIEST FLOWS FLOWSCHEMA    PRIORITYLEVEL EXECUTING WAITING",
            "alice         service-acco… batch                 1       6",
            "bob           service-acco… batch                 1       3",
            "kube-system   service-acco… workload-low          1       3",
            "",
            "enter open  ↑↓ select  s sort  r reverse  p pause  q quit",
        ]
    );
}

#[test]
fn a_wide_screen_has_bars() {
    let text = lines(&mut View::new(snapshot()), 100, 13);
    assert_eq!(
        text[2],
        "PRIORITYLEVEL                                          ▾INUSE LIMIT WAITING REJECTED/S BORROWED"
    );
    assert!(
        text[3].starts_with("system        ████████████████░░░░░░░░░░░░░░"),
        "{}",
        text[3]
    );
    // The whole names of flow schemas.
    assert!(text[8].contains(" service-accounts "), "{}", text[8]);
}

#[test]
fn a_level_with_its_flows() {
    let mut view = View::new(snapshot());
    view.press(Key::Down);
    view.press(Key::Open);
    assert_eq!(
        lines(&mut view, 60, 13),
        [
            "kubectl flowcontrol top   1 API server, every 2 s",
            "",
            "PRIORITYLEVEL batch",
            "in use     5 of 25 seats        ██████░░░░░░░░░░░░░░░░░░░░░░",
            "limit      25, nominal 20, 5 borrowed from other levels",
            "requests   5 executing, 9 waiting",
            "rejected   4.5 per second, 90 since the start of the server",
            "",
            "BUSIEST FLOWS FLOWSCHEMA       EXECUTING WAITING",
            "alice         service-accounts         1       6",
            "bob           service-accounts         1       3",
            "",
            "esc back  ↑↓ scroll  p pause  q quit",
        ]
    );
    let gone = super::super::view::Snapshot::default();
    view.receive(Ok(gone));
    assert_eq!(
        lines(&mut view, 60, 13)[3],
        "no API server has this level any more"
    );
}

#[test]
fn the_exempt_level_has_no_limit() {
    let mut exempt = snapshot();
    exempt.levels = vec![level("exempt", 3, 0, 0)];
    let mut view = View::new(exempt);
    let text = lines(&mut view, 60, 13);
    assert_eq!(
        text[3],
        "exempt             3  none       0        0.0        -"
    );
    view.press(Key::Open);
    assert_eq!(
        lines(&mut view, 60, 13)[3],
        "in use     3 seats, without a limit"
    );
}

#[test]
fn a_lost_connection_and_a_pause() {
    let mut view = View::new(snapshot());
    view.press(Key::Pause);
    view.receive(Err("connection\nrefused".to_owned()));
    view.set_age(Duration::from_secs(12));
    let text = lines(&mut view, 60, 13);
    assert_eq!(
        text[0],
        "kubectl flowcontrol top   1 API server, every 2 s   PAUSED"
    );
    assert_eq!(text[1], "connection lost for 12 s: connection\\nrefused");
    assert!(text[3].starts_with("system "), "{}", text[3]);
    // Missing parts are above the keys.
    let mut missing = snapshot();
    missing.notes = ["no metrics: 403", "no flows: 403"]
        .map(str::to_owned)
        .to_vec();
    let text = lines(&mut View::new(missing), 60, 13);
    assert_eq!(text[11], "no metrics: 403 (and 1 more)");
}

#[test]
fn no_color_means_no_color() {
    let mut view = View::new(snapshot());
    for has_color in [true, false] {
        let buffer = screen(&mut view, 60, 13, has_color);
        let colors = buffer.content.iter().filter(|cell| cell.fg != Color::Reset);
        assert_eq!(colors.count() > 0, has_color);
        // The selection shows without color.
        assert!(buffer[(0, 3)].modifier.contains(Modifier::REVERSED));
        assert!(!buffer[(0, 4)].modifier.contains(Modifier::REVERSED));
    }
}

#[test]
fn every_size_can_be_drawn() {
    let mut many = snapshot();
    many.levels = (0..40)
        .map(|index| level(&format!("level-{index:02}"), 40 - index, 0, 20))
        .collect();
    many.flows = (0..40)
        .map(|index| flow("level-00", &format!("日本-{index}\u{1b}[2J\u{202e}"), index))
        .collect();
    many.notes = vec!["no metrics: \u{1b}]0;title\u{7}".to_owned()];
    for is_open in [false, true] {
        for (width, height) in (1..70)
            .step_by(3)
            .flat_map(|width| (1..30).map(move |height| (width, height)))
        {
            let mut view = View::new(many.clone());
            if is_open {
                view.press(Key::Open);
            }
            view.press(Key::Last);
            let text = lines(&mut view, width, height);
            assert!(
                text.iter()
                    .all(|line| !line.contains(['\u{1b}', '\u{202e}', '\u{7}'])),
                "{text:?}"
            );
            // The selected level stays on the screen, if there is room for it.
            if !is_open && height >= 6 && width >= 20 {
                assert!(
                    text.iter().any(|line| line.starts_with("level-39")),
                    "{width}x{height}: {text:#?}"
                );
            }
        }
    }
}
