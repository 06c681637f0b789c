//! Files with changes that are not committed.
//!
//! A folder can come from anywhere, so no program that it names may run. Git is never pointed at the folder's own
//! repository, whose configuration can name programs (clean filters, fsmonitor, hooks, ssh of a lazy fetch, an alias),
//! but at an empty repository of ours, which reads the folder's index and objects.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files with uncommitted changes, and the reason for each.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    files: HashSet<PathBuf>,
    /// Work trees that git cannot examine, with its message.
    unknown: BTreeMap<PathBuf, String>,
}

impl Dirty {
    /// Asks git about the work trees of some files, whose paths do not contain links. Without git, nothing counts as
    /// uncommitted.
    pub(super) fn of<'a>(files: impl Iterator<Item = &'a Path>) -> Self {
        let mut dirty = Self::default();
        let roots: HashSet<_> = files.filter_map(work_tree).collect();
        for root in roots {
            match changed(root) {
                Ok(files) => dirty.files.extend(files),
                Err(message) => drop(dirty.unknown.insert(root.to_owned(), message)),
            }
        }
        dirty
    }

    /// The reason not to write a file.
    pub(super) fn reason(&self, file: &Path) -> Option<String> {
        if self.files.contains(file) {
            return Some("the file has changes that are not committed".to_owned());
        }
        let message = self.unknown.get(work_tree(file)?)?;
        Some(format!(
            "git cannot tell whether the file has changes that are not committed: {message}"
        ))
    }
}

fn work_tree(file: &Path) -> Option<&Path> {
    let folders = file.ancestors().skip(1);
    folders.into_iter().find(|folder| {
        let git = folder.join(".git");
        git.is_file() || git.join("HEAD").exists()
    })
}

/// The files of a work tree that differ from the last commit, and untracked files. Ignored files are left out.
fn changed(root: &Path) -> Result<Vec<PathBuf>, String> {
    if Command::new("git").arg("--version").output().is_err() {
        // git is not installed.
        return Ok(Vec::new());
    }
    let repository = Repository::of(root)?;
    let stand_in = repository
        .stand_in()
        .map_err(|error| format!("no temporary folder: {error}"))?;
    let output = Command::new("git")
        .current_dir(root)
        .env("GIT_DIR", stand_in.path())
        .env("GIT_WORK_TREE", root)
        .env("GIT_INDEX_FILE", repository.own.join("index"))
        .env("GIT_OBJECT_DIRECTORY", repository.common.join("objects"))
        .env("GIT_NO_LAZY_FETCH", "1")
        .env_remove("GIT_COMMON_DIR")
        .env_remove("GIT_NAMESPACE")
        .env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false"])
        .args(without_filters())
        // A submodule is a repository that can name other programs.
        .args(["status", "--porcelain=v1", "-z", "--ignore-submodules=all"])
        .args(["--untracked-files=all", "--no-renames"])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(message.lines().next().unwrap_or_default().to_owned());
    }
    let entries = output.stdout.split(|byte| *byte == 0);
    // Two letters of state and a blank come before each path.
    let paths = entries.filter_map(|entry| entry.get(3..));
    Ok(paths.map(|path| root.join(path_of(path))).collect())
}

/// Options that disable the filters of the user's own configuration: the folder's attributes would choose when they run.
fn without_filters() -> Vec<String> {
    let mut options = Vec::new();
    for scope in ["--system", "--global"] {
        let names = Command::new("git")
            .args(["config", scope, "--includes", "--name-only", "-z"])
            .args(["--get-regexp", r"^filter\..*\.(clean|smudge|process)$"])
            .output();
        let names = names.map(|output| output.stdout).unwrap_or_default();
        for name in String::from_utf8_lossy(&names).split_terminator('\0') {
            let filter = name.rsplit_once('.').map_or(name, |(filter, _)| filter);
            options.extend(["-c".to_owned(), format!("{name}=")]);
            options.extend(["-c".to_owned(), format!("{filter}.required=false")]);
        }
    }
    options
}

/// The repository of a work tree, as far as its files tell without its configuration.
struct Repository {
    /// The folder with `HEAD` and the index.
    own: PathBuf,
    /// The folder with the objects and branches: another one for a linked work tree.
    common: PathBuf,
}

impl Repository {
    fn of(root: &Path) -> Result<Self, String> {
        let mut own = root.join(".git");
        if own.is_file() {
            let text = read(&own)?;
            let path = text.strip_prefix("gitdir:").map(str::trim);
            own = root.join(path.ok_or("`.git` is not a folder and names none")?);
        }
        let common = match read(&own.join("commondir")) {
            Ok(path) => own.join(path.trim()),
            Err(_) => own.clone(),
        };
        if common.join("reftable").exists() {
            return Err("its branches are stored as a reftable".to_owned());
        }
        Ok(Self { own, common })
    }

    /// An empty repository with the same commit, and with the configuration values that control the comparison of files.
    fn stand_in(&self) -> std::io::Result<tempfile::TempDir> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
        fs::create_dir(path.join("refs"))?;
        fs::create_dir(path.join("info"))?;
        let head = self.head();
        fs::write(path.join("HEAD"), &head)?;
        let mut config = String::from("[core]\n\tbare = false\n");
        for name in [
            "core.autocrlf",
            "core.eol",
            "core.filemode",
            "core.symlinks",
        ] {
            let value = self.value(name);
            let is_plain = |value: &String| value.chars().all(char::is_alphanumeric);
            if let Some(value) = value.filter(is_plain) {
                config.push_str(&format!(
                    "\t{} = {value}\n",
                    name.trim_start_matches("core.")
                ));
            }
        }
        // The length of a commit's hash shows the format of the objects.
        if head.trim().len() == 64 {
            config
                .push_str("\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n");
        }
        fs::write(path.join("config"), config)?;
        for file in ["exclude", "attributes"] {
            if let Ok(text) = read(&self.common.join("info").join(file)) {
                fs::write(path.join("info").join(file), text)?;
            }
        }
        Ok(folder)
    }

    /// A value of the repository's configuration. Reading a file runs nothing, and no other file is included.
    fn value(&self, name: &str) -> Option<String> {
        let output = Command::new("git")
            .args(["config", "--no-includes", "--file"])
            .arg(self.common.join("config"))
            .args(["--get", name])
            .output();
        let text = String::from_utf8(output.ok()?.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The content of `HEAD` for a repository without branches: the commit, or a branch without commits.
    fn head(&self) -> String {
        let head = read(&self.own.join("HEAD")).unwrap_or_default();
        let Some(branch) = head.strip_prefix("ref:").map(str::trim) else {
            return head;
        };
        let loose = [&self.own, &self.common]
            .into_iter()
            .find_map(|folder| read(&folder.join(branch)).ok());
        let packed = || {
            let packed = read(&self.common.join("packed-refs")).ok()?;
            let mut lines = packed.lines();
            lines.find_map(|line| Some(line.strip_suffix(branch)?.strip_suffix(' ')?.to_owned()))
        };
        loose
            .or_else(packed)
            .unwrap_or_else(|| "ref: refs/heads/main\n".to_owned())
    }
}

fn read(file: &Path) -> Result<String, String> {
    let (bytes, _) = super::input::read_regular(file).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", file.display()))
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
