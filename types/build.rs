//! With the feature `generate`: writes the modules of the API versions, and the shared one, from the
//! project's documents. Without it the checked-in modules are built, and there is nothing to do.

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "generate")]
    if let Err(message) = generate::run() {
        eprintln!("error: {message}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

#[cfg(feature = "generate")]
mod generate {
    use generator::{Error, Generated, Generator};
    use k8s_flowcontrol_specs::ALL;
    use std::path::PathBuf;

    pub(super) fn run() -> Result<(), String> {
        // The documents come from a crate, so that Cargo itself knows when they change.
        println!("cargo::rerun-if-changed=shared-types.txt");
        write(&generated().map_err(|error| error.to_string())?)
    }

    fn generated() -> Result<Generated, Error> {
        let documents = ALL
            .iter()
            .try_fold(Generator::new(), |generator, document| {
                generator.document(document.file_name, document.text)
            })?;
        documents
            .with_meta()
            .runtime("crate")
            .shared(include_str!("shared-types.txt"))
            .generate()
    }

    fn write(generated: &Generated) -> Result<(), String> {
        let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set; run this with Cargo")?;
        for (name, text) in &generated.files {
            let path = PathBuf::from(&out).join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}
