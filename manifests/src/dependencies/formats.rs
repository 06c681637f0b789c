//! Files with dependencies, by their names.

use super::table::Ecosystem;

/// The form of a file with dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `go.mod`.
    GoMod,
    /// A lock file in TOML: a line with the name, and one with the version.
    TomlLock,
    /// A list of dependencies in TOML: `name = "1.0"` or `name = { version = "1.0" }`.
    Toml,
    /// A lock file in JSON: an object with the name as its key, and a `version` or `resolved` in it.
    JsonLock,
    /// `package.json`: the range of versions is the value.
    PackageJson,
    /// `yarn.lock`.
    Yarn,
    /// `pnpm-lock.yaml`.
    Pnpm,
    /// A line for each dependency, as `pip` reads it.
    Requirements,
    /// `pom.xml`.
    Pom,
    /// A text with coordinates of Maven: `group:name:version`.
    Coordinates,
    /// A project file of .NET.
    DotNet,
    /// `cdk8s.yaml`.
    Cdk8s,
}

/// The ecosystem and the form of a file, by its name. `is_lock` is true for the versions in use, and false for ranges of versions.
pub(super) fn format(name: &str) -> Option<(Ecosystem, Format, bool)> {
    let name = name.to_ascii_lowercase();
    let found = match name.as_str() {
        // `go.mod` has the versions in use; `go.sum` has also other versions.
        "go.mod" => (Ecosystem::Go, Format::GoMod, true),
        "package-lock.json" | "npm-shrinkwrap.json" => (Ecosystem::Npm, Format::JsonLock, true),
        "yarn.lock" => (Ecosystem::Npm, Format::Yarn, true),
        "pnpm-lock.yaml" => (Ecosystem::Npm, Format::Pnpm, true),
        "package.json" => (Ecosystem::Npm, Format::PackageJson, false),
        "poetry.lock" | "uv.lock" | "pdm.lock" => (Ecosystem::Python, Format::TomlLock, true),
        "pipfile.lock" => (Ecosystem::Python, Format::JsonLock, true),
        "pyproject.toml" | "pipfile" => (Ecosystem::Python, Format::Toml, false),
        "setup.py" | "setup.cfg" => (Ecosystem::Python, Format::Requirements, false),
        "cargo.lock" => (Ecosystem::Rust, Format::TomlLock, true),
        "cargo.toml" => (Ecosystem::Rust, Format::Toml, false),
        "pom.xml" => (Ecosystem::Java, Format::Pom, false),
        "gradle.lockfile" => (Ecosystem::Java, Format::Coordinates, true),
        "build.gradle"
        | "build.gradle.kts"
        | "build.sbt"
        | "dependencies.gradle"
        | "libs.versions.toml" => (Ecosystem::Java, Format::Coordinates, false),
        "packages.lock.json" => (Ecosystem::DotNet, Format::JsonLock, true),
        "directory.packages.props" | "packages.config" => {
            (Ecosystem::DotNet, Format::DotNet, false)
        }
        "cdk8s.yaml" | "cdk8s.yml" => (Ecosystem::Cdk8s, Format::Cdk8s, true),
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") => {
            (Ecosystem::DotNet, Format::DotNet, false)
        }
        _ if name.ends_with(".txt") || name.ends_with(".in") => {
            let is_list = name.starts_with("requirements") || name.contains("constraints");
            return is_list.then_some((Ecosystem::Python, Format::Requirements, false));
        }
        _ => return None,
    };
    Some(found)
}
