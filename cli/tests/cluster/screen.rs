//! `top` on a terminal: the view, its keys, and what it leaves behind.

use crate::cluster::Cluster;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The most time for something to appear; a failure otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

/// A program on a terminal of 60 columns, and what its screen shows.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// Everything that was written.
    raw: String,
}

impl Terminal {
    fn top(cluster: &Cluster, before: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
        let (kubeconfig, process) = (
            cluster.folder.path("kubeconfig"),
            cluster.folder.path("pid"),
        );
        // The program is a child of the shell, which prints the settings of the terminal after it.
        let script = format!(
            "stty rows 16 cols 60; tty > '{process}.tty'; echo before; stty -a; {before} TERM=xterm KUBECONFIG='{kubeconfig}' sh -c 'echo $$ > \"{process}\"; exec \"{program}\" top --interval 1'; echo exit code $?; stty -a; echo done"
        );
        let mut child = Command::new("script")
            .args(["-qc", &script, "/dev/null"])
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
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
            child,
            keys,
            output,
            parser: vt100::Parser::new(size(16), size(60), 0),
            raw: String::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    fn wait(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let screen = self.parser.screen().contents();
            if wanted(&screen) {
                return screen;
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.raw.push_str(&String::from_utf8_lossy(&bytes));
                }
                Err(RecvTimeoutError::Timeout) => panic!("the screen stays as it is:\n{screen}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the program has ended:\n{screen}"),
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
        let mut terminal = Terminal::top(cluster, "");
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
        let tty = std::fs::read_to_string(cluster.folder.path("pid.tty")).unwrap();
        let resized = Command::new("stty")
            .args(["-F", tty.trim(), "rows", "20", "cols", "100"])
            .status()
            .unwrap();
        assert!(resized.success());
        terminal.parser.screen_mut().set_size(size(20), size(100));
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
            let mut terminal = Terminal::top(cluster, "");
            terminal.wait(|screen| screen.contains("q quit"));
            match how {
                "ctrl-c" => terminal.press("\u{3}"),
                signal => {
                    let process = std::fs::read_to_string(cluster.folder.path("pid")).unwrap();
                    let sent = Command::new("kill").args([signal, process.trim()]).status();
                    assert!(sent.unwrap().success());
                }
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
        let mut terminal = Terminal::top(cluster, "NO_COLOR=1");
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
