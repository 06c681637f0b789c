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
    ///
    /// # Errors
    /// The message of Helm.
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
            let text = String::from_utf8_lossy(&output.stderr);
            let message = text.lines().find_map(|line| line.strip_prefix("Error: "));
            let message = message.or_else(|| text.lines().next());
            return Err(message.unwrap_or("no message").to_owned());
        }
        String::from_utf8(output.stdout).map_err(|_| "the result is not UTF-8".to_owned())
    }
}
