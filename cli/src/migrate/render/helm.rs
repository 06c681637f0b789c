//! The program `helm`.

use k8s_flowcontrol::{ApiVersion, GROUP, Kind, Release};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program `helm` with the cluster and the values to render for.
#[derive(Debug)]
pub(crate) struct Helm {
    program: PathBuf,
    /// The release of the cluster.
    pub(crate) release: Release,
    /// The files with values.
    values: Vec<PathBuf>,
}

impl Helm {
    /// The program in the PATH, for a cluster that serves `version`.
    pub(crate) fn find(
        version: ApiVersion,
        release: Option<Release>,
        values: &[PathBuf],
    ) -> Option<Self> {
        let name = format!("helm{}", std::env::consts::EXE_SUFFIX);
        let path = std::env::var_os("PATH")?;
        let mut folders = std::env::split_paths(&path);
        let program =
            folders.find_map(|folder| Some(folder.join(&name)).filter(|path| path.is_file()))?;
        let newest = Release::all().filter(|release| version.is_served_by(*release));
        Some(Self {
            program,
            release: release.or(newest.max()).unwrap_or_default(),
            values: values.to_vec(),
        })
    }

    /// The rendered manifests of a chart.
    /// Errors: the message of Helm.
    pub(super) fn template(&self, chart: &Path) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command.args(["template", "release-name"]).arg(chart);
        command.arg(format!("--kube-version={}.0", self.release));
        for version in self.release.served() {
            // Templates ask for a version, or for a kind in a version.
            command.arg(format!("--api-versions={GROUP}/{version}"));
            for kind in Kind::ALL {
                command.arg(format!("--api-versions={GROUP}/{version}/{kind}"));
            }
        }
        for file in &self.values {
            command.arg("--values").arg(file);
        }
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(message(&String::from_utf8_lossy(&output.stderr)));
        }
        String::from_utf8(output.stdout).map_err(|_| "the result is not UTF-8".to_owned())
    }
}

/// The message of Helm in one line. Helm 4 writes the reason below the place, and an empty line at the end.
fn message(text: &str) -> String {
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with("Error: "))
        .map(|line| line.trim_start_matches("Error: ").trim());
    let message: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    match message.is_empty() {
        true => text.lines().next().unwrap_or("no message").to_owned(),
        false => message.join(" "),
    }
}
