//! Generation in a build script.

use crate::{Error, Generated, Generator, folder};
use std::path::{Path, PathBuf};

/// Generates types in a `build.rs`.
///
/// Cargo runs the script again when a document changes, or a file to which one refers. A mistake ends the build, with the message
/// among Cargo's errors.
///
/// ```no_run
/// // The body of `main` in build.rs:
/// k8s_flowcontrol_codegen::Build::new()
///     .document("openapi/coordination.json")
///     .crd("crds/monitors.yaml")
///     .kinds(["Lease", "Monitor"])
///     .write_to_out_dir();
/// ```
///
/// The program includes the modules, and depends on `k8s-flowcontrol-types` alone:
///
/// ```ignore
/// mod generated {
///     k8s_flowcontrol_types::include_generated!();
/// }
/// use generated::coordination_v1::Lease;
/// ```
#[derive(Debug)]
#[must_use = "call `write_to_out_dir` or `write_to`"]
pub struct Build {
    generator: Result<Generator, Error>,
    paths: Vec<PathBuf>,
}

impl Default for Build {
    fn default() -> Self {
        Self {
            generator: Ok(Generator::new()),
            paths: Vec::new(),
        }
    }
}

impl Build {
    /// A build without documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the document in a file, as [`Generator::file`] does. A relative path starts at the package's folder.
    pub fn document(self, path: impl AsRef<Path>) -> Self {
        self.file(path.as_ref(), |generator, path| generator.file(path))
    }

    /// Adds the CustomResourceDefinitions in a file; a file without any is an error. A relative path starts at the package's folder.
    pub fn crd(self, path: impl AsRef<Path>) -> Self {
        self.file(path.as_ref(), Generator::definitions)
    }

    /// Generates only these kinds and the types that they need, see [`Generator::kinds`].
    pub fn kinds<K: Into<String>>(self, kinds: impl IntoIterator<Item = K>) -> Self {
        self.with(|generator| generator.kinds(kinds))
    }

    /// Generates only these fields of a kind, see [`Generator::fields`].
    pub fn fields<P: Into<String>>(self, kind: &str, paths: impl IntoIterator<Item = P>) -> Self {
        self.with(|generator| generator.fields(kind, paths))
    }

    /// Gives kinds `validate()`, see [`Generator::validate`].
    pub fn validate(self) -> Self {
        self.with(Generator::validate)
    }

    /// Selects the kinds of one API group, see [`Generator::select`].
    pub fn select(self, group: &str, version: Option<&str>) -> Self {
        self.with(|generator| generator.select(group, version))
    }

    /// Reads values as any JSON where a reference leads nowhere, see [`Generator::missing_as_json`].
    pub fn missing_as_json(self) -> Self {
        self.with(Generator::missing_as_json)
    }

    /// Sets the path of the types crate in the generated code, see [`Generator::runtime`]. A program that depends on
    /// `k8s-flowcontrol` alone sets `::k8s_flowcontrol`.
    pub fn runtime(self, path: &str) -> Self {
        self.with(|generator| generator.runtime(path))
    }

    /// Sets other options of the generator, such as [`Generator::plain`] and [`Generator::rename`].
    ///
    /// ```no_run
    /// k8s_flowcontrol_codegen::Build::new()
    ///     .document("openapi/pets.json")
    ///     .with(|generator| generator.plain().rename("Pet2", "Dog"))
    ///     .write_to_out_dir();
    /// ```
    pub fn with(mut self, change: impl FnOnce(Generator) -> Generator) -> Self {
        self.generator = self.generator.map(change);
        self
    }

    /// Writes the modules into Cargo's output folder, for the macro `include_generated!` of the types crate. A script calls this
    /// once: the modules of a second call replace those of the first.
    ///
    /// A mistake is printed for Cargo and ends the process with code 1.
    pub fn write_to_out_dir(self) {
        report(self.try_write_to_out_dir());
    }

    /// As [`write_to_out_dir`](Self::write_to_out_dir), for build scripts that handle the error themselves.
    ///
    /// # Errors
    /// A document cannot be used, `OUT_DIR` is not set, or a file cannot be read or written.
    pub fn try_write_to_out_dir(self) -> Result<(), Error> {
        let Some(out) = std::env::var_os("OUT_DIR") else {
            return Err(Error::new(
                "OUT_DIR is not set: call this in a build script",
            ));
        };
        let generated = self.generate()?;
        folder::replace(&generated.files, &Path::new(&out).join(FOLDER)).map_err(Error::new)?;
        warn(&generated.notes);
        Ok(())
    }

    /// Writes the modules into a folder of the package, as [`Generated::write`](crate::Generated::write) does, to check them in.
    ///
    /// A mistake is printed for Cargo and ends the process with code 1.
    pub fn write_to(self, out: impl AsRef<Path>) {
        report(self.try_write_to(out));
    }

    /// As [`write_to`](Self::write_to), for build scripts that handle the error themselves.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// k8s_flowcontrol_codegen::Build::new()
    ///     .document("openapi/coordination.json")
    ///     .try_write_to("src/generated")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A document cannot be used, the folder has files that this generator did not write, or a file cannot be read or written.
    pub fn try_write_to(self, out: impl AsRef<Path>) -> Result<(), Error> {
        let generated = self.generate()?;
        generated.write(out.as_ref())?;
        warn(&generated.notes);
        Ok(())
    }

    /// Generates, and tells Cargo the files whose changes matter.
    fn generate(self) -> Result<Generated, Error> {
        announce(&self.paths);
        let generator = self.generator?;
        let generated = generator.generate();
        announce(&generator.documents.loaded_files());
        generated
    }

    fn file(
        mut self,
        path: &Path,
        add: impl FnOnce(Generator, &Path) -> Result<Generator, Error>,
    ) -> Self {
        self.paths.push(path.to_path_buf());
        self.generator = self.generator.and_then(|generator| add(generator, path));
        self
    }
}

/// The folder below Cargo's output folder, which `include_generated!` knows.
const FOLDER: &str = "k8s-flowcontrol";

/// Cargo runs a script that it has compiled again without being told.
fn announce(paths: &[PathBuf]) {
    for path in paths {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn warn(notes: &[String]) {
    for note in notes {
        tell("warning", note);
    }
}

fn report(written: Result<(), Error>) {
    if let Err(error) = written {
        tell("error", &error.to_string());
        std::process::exit(1);
    }
}

/// Names in documents may have line breaks, and the next line would be another instruction to Cargo.
fn tell(instruction: &str, text: &str) {
    for line in text.lines() {
        println!("cargo::{instruction}={line}");
    }
}
