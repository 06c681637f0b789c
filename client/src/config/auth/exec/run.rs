//! One run of a plugin.

use super::group::Group;
use super::{ExecCredential, ExecPlugin, InteractiveMode, info};
use crate::config::{Config, ConfigError};
use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// The maximum size of a plugin's output, in bytes.
const MAX_OUTPUT: u64 = 1024 * 1024;

impl ExecPlugin {
    /// Runs the plugin. It is killed if the future is dropped or the timeout expires.
    pub(crate) async fn run(&self, config: &Config) -> Result<ExecCredential, ConfigError> {
        let interactive = self.is_interactive()?;
        let request = info::request(self, config, interactive)?;
        let finished = self.output(request, interactive);
        let output = if interactive {
            finished.await
        } else {
            let finished = tokio::time::timeout(self.timeout, finished).await;
            finished.unwrap_or_else(|_| {
                let seconds = self.timeout.as_secs_f64();
                Err(self.error(&format!(
                    "did not finish within {seconds} s and was stopped"
                )))
            })
        };
        ExecCredential::read(&output?, self.version)
            .map_err(|message| self.error(&format!("printed no usable credential: {message}")))
    }

    /// Whether the plugin gets the standard input.
    pub(crate) fn is_interactive(&self) -> Result<bool, ConfigError> {
        let terminal = || io::stdin().is_terminal();
        match self.interactive_mode {
            InteractiveMode::Never => Ok(false),
            InteractiveMode::IfAvailable => Ok(terminal()),
            InteractiveMode::Always if terminal() => Ok(true),
            InteractiveMode::Always => Err(self.error(
                "requires the standard input (interactiveMode Always), but that is not a terminal",
            )),
        }
    }

    async fn output(&self, request: String, interactive: bool) -> Result<Vec<u8>, ConfigError> {
        let input = if interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        let variables = self.env.iter().map(|(name, value)| (name, value));
        let program = self.program().map_err(|error| self.not_started(&error))?;
        let mut command = Command::new(program.as_os_str());
        command
            .args(&self.args)
            .envs(variables)
            .env("KUBERNETES_EXEC_INFO", request)
            .stdin(input)
            .stdout(Stdio::piped());
        // The group is dropped before the child, whose process id is not reused until then.
        let (mut child, group) =
            Group::spawn(&mut command).map_err(|error| self.not_started(&error))?;
        let broken = |error: io::Error| {
            self.error(&format!("failed: its output could not be read: {error}"))
        };
        let mut output = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let mut bounded = stdout.take(MAX_OUTPUT + 1);
            bounded.read_to_end(&mut output).await.map_err(broken)?;
        }
        if output.len() as u64 > MAX_OUTPUT {
            return Err(self.error(&format!("printed more than {MAX_OUTPUT} bytes")));
        }
        let status = child.wait().await.map_err(broken)?;
        group.release();
        if status.success() {
            Ok(output)
        } else {
            Err(self.error(&ended(status)))
        }
    }

    /// The program. Like kubectl, looks up a name in the PATH of this program, even if the plugin gets another one, which
    /// the standard library would search.
    fn program(&self) -> io::Result<Cow<'_, Path>> {
        let has_path = self.env.iter().any(|(name, _)| name == "PATH");
        if cfg!(windows) || !self.is_name() || !has_path {
            return Ok(self.command.as_path().into());
        }
        let found = self.in_path().map(Cow::Owned);
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Whether the command is looked up in the folders of the PATH.
    fn is_name(&self) -> bool {
        self.command.components().count() == 1
    }

    fn in_path(&self) -> Option<PathBuf> {
        let folders = env::var_os("PATH")?;
        let mut files = env::split_paths(&folders).map(|folder| folder.join(&self.command));
        files.find(|file| file.is_absolute() && is_executable(file))
    }

    fn not_started(&self, error: &io::Error) -> ConfigError {
        let exists = || match self.is_name() {
            true => self.in_path().is_some(),
            false => self.command.exists(),
        };
        let message = match error.kind() {
            io::ErrorKind::NotFound if exists() => {
                "could not be started: its interpreter or dynamic linker was not found".to_owned()
            }
            io::ErrorKind::NotFound => "was not found".to_owned(),
            _ => format!("could not be started: {error}"),
        };
        match &self.install_hint {
            Some(hint) => self.error(&format!("{message}; how to install it: {hint}")),
            None => self.error(&message),
        }
    }

    fn error(&self, message: &str) -> ConfigError {
        ConfigError::new(format!("`{}` {message}", self.command.display())).within(&self.origin)
    }
}

fn is_executable(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = file.metadata();
        metadata
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    file.is_file()
}

fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was terminated by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("failed with exit code {code}"),
        None => "was terminated".to_owned(),
    }
}
