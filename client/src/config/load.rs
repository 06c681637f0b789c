//! Loading a configuration: kubeconfig files, kubeconfig text, the service account of a pod.

use super::{Config, ConfigError, in_cluster, kubeconfig};
use std::path::{Path, PathBuf};

impl Config {
    /// The configuration that kubectl would use: the kubeconfig files of `KUBECONFIG`, else `~/.kube/config`, else the
    /// service account of the pod that the program runs in.
    ///
    /// # Errors
    /// If none of them exists or one is invalid. The error names the file, the context and the field.
    pub fn try_default() -> Result<Self, ConfigError> {
        let files = kubeconfig::default_files();
        let any_exists = |files: &[PathBuf]| files.iter().any(|file| file.exists());
        match files {
            Some(files) if any_exists(&files) || !in_cluster::is_inside() => {
                return kubeconfig::load(&files, None);
            }
            _ if in_cluster::is_inside() => return Self::in_cluster(),
            _ => {}
        }
        Err(ConfigError::new(
            "no configuration found: KUBECONFIG is not set, ~/.kube/config does not exist, and the program does not run \
             in a pod; set KUBECONFIG or create ~/.kube/config",
        ))
    }

    /// A named context of the files that [`try_default`](Self::try_default) reads.
    ///
    /// # Errors
    /// As [`try_default`](Self::try_default), and if the context does not exist.
    pub fn try_default_context(context: &str) -> Result<Self, ConfigError> {
        let files = kubeconfig::default_files().ok_or_else(|| {
            ConfigError::new(format!(
                "the context `{context}` does not exist: {NO_FILES}"
            ))
        })?;
        kubeconfig::load(&files, Some(context))
    }

    /// The current context of a kubeconfig file.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid. The error names the file, the context and the field.
    pub fn from_kubeconfig(file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        kubeconfig::load(&[file.as_ref().to_owned()], None)
    }

    /// A named context of a kubeconfig file.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig), and if the context does not exist.
    pub fn from_kubeconfig_context(
        file: impl AsRef<Path>,
        context: &str,
    ) -> Result<Self, ConfigError> {
        kubeconfig::load(&[file.as_ref().to_owned()], Some(context))
    }

    /// A context of several kubeconfig files, merged like the files of `KUBECONFIG`. Defaults to the current context.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig), and if none of the files exists.
    pub fn from_kubeconfig_files(
        files: &[impl AsRef<Path>],
        context: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let files: Vec<_> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        kubeconfig::load(&files, context)
    }

    /// The current context of kubeconfig text. Relative paths in it start at the working directory.
    ///
    /// # Errors
    /// As [`from_kubeconfig`](Self::from_kubeconfig).
    pub fn from_kubeconfig_text(text: &str) -> Result<Self, ConfigError> {
        kubeconfig::from_text(text, None)
    }

    /// A named context of kubeconfig text.
    ///
    /// # Errors
    /// As [`from_kubeconfig_context`](Self::from_kubeconfig_context).
    pub fn from_kubeconfig_text_context(text: &str, context: &str) -> Result<Self, ConfigError> {
        kubeconfig::from_text(text, Some(context))
    }

    /// The service account of the pod that the program runs in.
    ///
    /// # Errors
    /// If the program does not run in a pod, or the files of the service account are missing.
    pub fn in_cluster() -> Result<Self, ConfigError> {
        in_cluster::load()
    }

    /// The names of all contexts in kubeconfig files, merged like the files of `KUBECONFIG`, and the current context.
    ///
    /// `None` means the files that [`try_default`](Self::try_default) reads. Pass a name to
    /// [`from_kubeconfig_files`](Self::from_kubeconfig_files) to load its context.
    ///
    /// # Errors
    /// If no file exists, or one cannot be read.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol::config::Config;
    ///
    /// # let file = std::env::temp_dir().join(format!("contexts-{}", std::process::id()));
    /// # std::fs::write(&file, "current-context: b\ncontexts: [{name: a}, {name: b}]")?;
    /// let (names, current) = Config::contexts(Some(&[&*file]))?;
    /// assert_eq!(names, ["a", "b"]);
    /// assert_eq!(current.as_deref(), Some("b"));
    /// # std::fs::remove_file(file)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn contexts(files: Option<&[&Path]>) -> Result<(Vec<String>, Option<String>), ConfigError> {
        let files = match files {
            Some(files) => files.iter().map(|file| (*file).to_owned()).collect(),
            None => kubeconfig::default_files()
                .ok_or_else(|| ConfigError::new(format!("there are no contexts: {NO_FILES}")))?,
        };
        kubeconfig::contexts(&files)
    }
}

const NO_FILES: &str = "KUBECONFIG is not set and ~/.kube/config does not exist";
