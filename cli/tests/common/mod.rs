//! Running the program.

pub(crate) mod browser;
pub(crate) mod schema;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::net::TcpSocket;

/// Whether the tests with many cases try them all, as in the gate, and not only a part of them, as `cargo test` does.
pub(crate) fn tries_all() -> bool {
    std::env::var_os("FLOWCONTROL_TEST_ALL").is_some()
}

/// Every case, or each of so many in a quick run.
pub(crate) fn some_of<T>(cases: Vec<T>, each: usize) -> impl Iterator<Item = T> {
    cases
        .into_iter()
        .step_by(if tries_all() { 1 } else { each })
}

/// An address at which no server listens, as long as the tests run: its port is taken.
pub(crate) fn closed_address() -> SocketAddr {
    static SOCKET: OnceLock<TcpSocket> = OnceLock::new();
    let socket = SOCKET.get_or_init(|| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        socket
    });
    socket.local_addr().unwrap()
}

/// The fixtures of the formats, which the package of the program on its own does not have.
pub(crate) fn envelopes() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/tests/fixtures/envelopes");
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = files.map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|kind| kind != "md"));
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            (name.to_owned(), std::fs::read_to_string(file).unwrap())
        })
        .collect()
}

/// The program, in the folder of the crate.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("KUBECONFIG")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// Runs the program to its end. If it prints JSON, the output fits the JSON Schema.
pub(crate) fn run(arguments: &[&str]) -> Output {
    let output = program().args(arguments).output().unwrap();
    if let Some(name) = schema::name_of(arguments) {
        schema::check(name, &output.stdout);
    }
    output
}

/// The exit code, when the process was not killed.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// `serve` as a process. It is ended when it is dropped.
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) child: Child,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = program();
        command.arg("serve").args(arguments);
        Self::spawn(command)
    }

    /// A process whose files cannot become larger than about `blocks` KiB.
    #[cfg(unix)]
    pub(crate) fn start_limited(arguments: &[&str], blocks: u32) -> Self {
        let serve = program();
        let mut command = Command::new("sh");
        // Without the signal (25, SIGXFSZ) such a write is an error.
        let script = format!("ulimit -S -f {blocks}; trap '' 25; exec \"$@\"");
        command.args(["-c", &script, "sh"]);
        command
            .arg(serve.get_program())
            .arg("serve")
            .args(arguments);
        command.env_remove("KUBECONFIG").stdin(Stdio::null());
        Self::spawn(command)
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut url).unwrap();
        assert!(
            url.starts_with("http"),
            "the first line is the address: {url:?}"
        );
        Self {
            url: url.trim().to_owned(),
            child,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// A folder of a test's own, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("kubectl-flowcontrol-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        if let Some(folder) = Path::new(&path).parent() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers stay in the folder for temporary files.
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}
