//! `top` on a terminal: the view, its keys, and what it leaves behind.

mod drawing;
mod keys;

use crate::cluster::Cluster;
use crate::common::Folder;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The most time for something to appear; a failure otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

/// The time between two readings that is longer than a test.
const NEVER: u32 = 3600;

/// `top` on a terminal, and what its screen shows.
struct Terminal {
    /// The name of the terminal's device.
    device: String,
    /// The file with the identifier of the process.
    process: String,
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// Everything that was written.
    raw: String,
}

impl Terminal {
    /// `top` of the cluster in the folder, on so many lines and columns, with a reading every `interval` seconds.
    fn top(folder: &Folder, [rows, columns]: [u16; 2], interval: u32, environment: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
        let (kubeconfig, process) = (folder.path("kubeconfig"), folder.path("pid"));
        let device = folder.path("device");
        // The program is a child of the shell, which prints the settings of the terminal after it.
        let script = format!(
            "stty rows {rows} cols {columns}; tty > '{device}'; echo before; stty -a; {environment} TERM=xterm KUBECONFIG='{kubeconfig}' sh -c 'echo $$ > \"{process}\"; exec \"{program}\" top --interval {interval}'; echo exit code $?; stty -a; echo done"
        );
        let mut child = Command::new("script")
            .args(["-qc", &script, "/dev/null"])
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            device,
            process,
            child,
            keys,
            output,
            parser: vt100::Parser::new(size(rows), size(columns), 0),
            raw: String::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Sends a signal to the program.
    fn signal(&self, signal: &str) {
        let process = std::fs::read_to_string(&self.process).unwrap();
        let sent = Command::new("kill").args([signal, process.trim()]).status();
        assert!(sent.unwrap().success());
    }

    /// Changes the size of the window.
    fn resize(&mut self, rows: u16, columns: u16) {
        let device = std::fs::read_to_string(&self.device).unwrap();
        let resized = Command::new("stty")
            .args(["-F", device.trim()])
            .args(["rows", &rows.to_string(), "cols", &columns.to_string()])
            .status();
        assert!(resized.unwrap().success());
        let screen = self.parser.screen_mut();
        screen.set_size(size(rows), size(columns));
    }

    /// The lines of the screen.
    fn lines(&self) -> Vec<String> {
        let screen = self.parser.screen();
        let lines = screen.rows(0, screen.size().1.get());
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// The line of the selected level.
    fn selected(&self) -> String {
        let screen = self.parser.screen();
        let is_selected = |row: &u16| screen.cell(*row, 0).is_some_and(|cell| cell.inverse());
        let row = (0..screen.size().0.get()).find(is_selected);
        row.map_or_else(String::new, |row| self.lines()[usize::from(row)].clone())
    }

    /// Waits until the line of the selected level begins with a name.
    #[track_caller]
    fn wait_for_selected(&mut self, name: &str) {
        let found = std::panic::Location::caller();
        self.wait_until(
            |terminal| terminal.selected().split(' ').next() == Some(name),
            &format!("{name} is not selected, {found}"),
        );
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    fn wait(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        self.wait_until(|terminal| wanted(&terminal.lines().join("\n")), "");
        self.lines().join("\n")
    }

    #[track_caller]
    fn wait_until(&mut self, wanted: impl Fn(&Self) -> bool, problem: &str) {
        let end = Instant::now() + PATIENCE;
        while !wanted(self) {
            // The clock of the view writes every second.
            let rest = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(rest) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.raw.push_str(&String::from_utf8_lossy(&bytes));
                }
                Err(end) => panic!(
                    "{problem}: {}:\n{}",
                    match end {
                        RecvTimeoutError::Timeout => "the screen stays as it is",
                        RecvTimeoutError::Disconnected => "the program has ended",
                    },
                    self.lines().join("\n")
                ),
            }
        }
    }

    /// Waits for the end, and checks that the terminal is as before. Returns the exit code.
    #[track_caller]
    fn end(mut self) -> i32 {
        let screen = self.wait(|screen| screen.contains("done"));
        assert!(!self.parser.screen().alternate_screen(), "{screen}");
        assert!(!self.parser.screen().hide_cursor(), "{screen}");
        let text = self.raw.replace("\r\n", "\n");
        let (before, rest) = text.split_once("\u{1b}[?1049h").unwrap();
        let (_, code) = rest.rsplit_once("exit code ").unwrap();
        let (code, after) = code.split_once('\n').unwrap();
        // Without the size of the window, which also breaks the lines.
        let settings = |text: &str| {
            let (_, settings) = text.split_once("time = 0;").unwrap();
            settings.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let after = after.split("done").next().unwrap().trim_end();
        // The settings end with flags such as `icanon echo`.
        assert!(
            after.contains(" icanon ") && after.contains(" echo "),
            "{after}"
        );
        assert_eq!(settings(after), settings(before), "{before}\n{after}");
        code.trim().parse().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

async fn cluster() -> Cluster {
    Cluster::start(ApiServer::builder().kubernetes("1.36").flow_control(true)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_sizes_and_the_end() {
    let cluster = cluster().await;
    let cluster = &cluster;
    tokio::task::block_in_place(|| {
        let mut terminal = Terminal::top(&cluster.folder, [16, 60], 1, "");
        let screen = terminal.wait(|screen| screen.contains("q quit"));
        assert!(
            screen.starts_with("kubectl flowcontrol top   1 API server, every 1 s"),
            "{screen}"
        );
        assert!(
            screen.contains("PRIORITYLEVEL   ▾INUSE LIMIT WAITING REJECTED/S BORROWED"),
            "{screen}"
        );
        // The requests of `top` itself are exempt.
        assert!(
            screen
                .lines()
                .any(|line| line.starts_with("exempt") && line.contains(" none ")),
            "{screen}"
        );
        terminal.press("s");
        terminal.wait(|screen| screen.contains("▾WAITING"));
        terminal.press("r");
        terminal.wait(|screen| screen.contains("▴WAITING"));
        terminal.press("p");
        terminal.wait(|screen| screen.contains("PAUSED"));
        terminal.press("p");
        terminal.wait(|screen| !screen.contains("PAUSED"));
        terminal.press("\u{1b}[B\r");
        terminal.wait(|screen| {
            screen.contains("PRIORITYLEVEL workload-high") && screen.contains("esc back")
        });
        terminal.press("\u{1b}");
        terminal.wait(|screen| screen.contains("enter open"));
        // The window becomes wider.
        terminal.resize(20, 100);
        terminal.wait(|screen| screen.contains("░░░░░░"));
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_give_the_terminal_back() {
    let cluster = cluster().await;
    let cluster = &cluster;
    tokio::task::block_in_place(|| {
        for (how, code) in [("-INT", 130), ("-TERM", 143), ("ctrl-c", 130)] {
            let mut terminal = Terminal::top(&cluster.folder, [16, 60], 1, "");
            terminal.wait(|screen| screen.contains("q quit"));
            match how {
                "ctrl-c" => terminal.press("\u{3}"),
                signal => terminal.signal(signal),
            }
            assert_eq!(terminal.end(), code, "{how}");
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_shows_and_recovers() {
    let cluster = cluster().await;
    let cluster = &cluster;
    tokio::task::block_in_place(|| {
        let mut terminal = Terminal::top(&cluster.folder, [16, 60], 1, "NO_COLOR=1");
        terminal.wait(|screen| screen.contains("q quit"));
        cluster
            .server
            .inject(Fault::unavailable().on_path("/metrics").times(1_000_000));
        cluster
            .server
            .inject(Fault::unavailable().on_path("/debug/").times(1_000_000));
        let screen = terminal.wait(|screen| screen.contains("connection lost for "));
        // The last numbers stay.
        assert!(screen.contains("workload-low"), "{screen}");
        cluster.server.clear_faults();
        terminal.wait(|screen| !screen.contains("connection lost"));
        // Without color: no sequence that sets a foreground.
        let colored = (30..38).any(|color| terminal.raw.contains(&format!("\u{1b}[{color}m")));
        assert!(
            !colored && !terminal.raw.contains("\u{1b}[38;"),
            "{:?}",
            terminal.raw
        );
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
    });
}

/// The thread that reads the keys cannot start, which is a panic on the screen.
#[test]
fn a_panic_gives_the_terminal_back() {
    let server = drawing::server();
    let stack = format!("RUST_MIN_STACK={}", 1_u64 << 60);
    let mut terminal = Terminal::top(&server.folder, [16, 60], NEVER, &stack);
    terminal.wait(|screen| screen.contains("done"));
    let (on_screen, after) = terminal.raw.split_once("\u{1b}[?1049l").unwrap();
    // The message is readable.
    assert!(
        after.contains("panicked at") && !on_screen.contains("panicked at"),
        "{}",
        terminal.raw
    );
    assert_eq!(terminal.end(), 101);
}
