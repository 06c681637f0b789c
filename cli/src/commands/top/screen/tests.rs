use super::*;

#[test]
fn keys_as_people_press_them() {
    let press = |code, modifiers| input(&Event::Key(KeyEvent::new(code, modifiers)));
    for (code, key) in [
        (KeyCode::Char('q'), Some(Key::Quit)),
        (KeyCode::Char('s'), Some(Key::Sort)),
        (KeyCode::Char(' '), Some(Key::Pause)),
        (KeyCode::Down, Some(Key::Down)),
        (KeyCode::Char('j'), Some(Key::Down)),
        (KeyCode::Enter, Some(Key::Open)),
        (KeyCode::Esc, Some(Key::Back)),
        (KeyCode::Char('x'), None),
    ] {
        assert_eq!(
            press(code, KeyModifiers::NONE),
            key.map(Input::Key),
            "{code:?}"
        );
    }
    let control = KeyModifiers::CONTROL;
    let interrupt = Some(Input::Key(Key::Interrupt));
    assert_eq!(press(KeyCode::Char('c'), control), interrupt);
    assert_eq!(press(KeyCode::Char('s'), control), None);
    assert_eq!(input(&Event::Resize(60, 20)), Some(Input::Resized));
}

/// Not a separate test: the next one runs it on a terminal.
#[test]
#[ignore = "needs a terminal"]
fn panics_on_the_screen() {
    let _screen = Screen::enter(true).unwrap();
    unreachable!("on purpose");
}

#[cfg(target_os = "linux")]
#[test]
fn a_panic_gives_the_terminal_back() {
    let own = std::env::current_exe().unwrap();
    let test = "panics_on_the_screen --ignored --nocapture --test-threads=1";
    let script = format!("stty -a; '{}' {test}; stty -a", own.display());
    let output = std::process::Command::new("script")
        .args(["-qec", &script, "/dev/null"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (before, rest) = text.split_once("\u{1b}[?1049h").expect(&text);
    let (on_screen, after) = rest.split_once("\u{1b}[?1049l").expect(&text);
    // The message is readable.
    assert!(
        after.contains("on purpose") && !on_screen.contains("on purpose"),
        "{text}"
    );
    let settings = |text: &str| {
        let from = text
            .rfind("speed ")
            .map_or("", |from| &text[from..])
            .to_owned();
        from.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (before, after) = (before.replace("\r\n", "\n"), after.replace("\r\n", "\n"));
    let first = settings(before.split("running").next().unwrap());
    assert!(first.iter().any(|word| word == "icanon"), "{before}");
    assert_eq!(settings(&after), first, "{text}");
}
