//! A release, made of a copy of the project with a made-up version, and everything in it installed as users install it.

use super::is_installed;
use super::project::{Project, VERSION, error, output, shell, text};
use crate::common::Folder;
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-musl";
const ARM: &str = "aarch64-unknown-linux-musl";

/// The targets of releases. The standard library for ARM is needed, and cannot be downloaded everywhere.
fn targets() -> Vec<&'static str> {
    let script = format!(
        "[ -d \"$(rustc --print sysroot)/lib/rustlib/{ARM}\" ] || rustup target add {ARM} && \
         {{ [ \"$(id -u)\" = 0 ] || command -v aarch64-linux-gnu-gcc; }}"
    );
    let output = Command::new("sh").args(["-c", &script]).output();
    if output.is_ok_and(|output| output.status.success()) {
        return vec![TARGET, ARM];
    }
    eprintln!(
        "the release has no program for ARM: {ARM} cannot be downloaded, or aarch64-linux-gnu-gcc is not installed"
    );
    vec![TARGET]
}

/// The checks before anything is built.
#[test]
fn a_release_has_a_clean_tree_one_version_and_a_changelog() {
    let folder = Folder::new();
    let project = Project::copy(
        PathBuf::from(folder.path("project")),
        &["packaging", "Cargo.toml", "CHANGELOG.md"],
    );
    let target = PathBuf::from(folder.path("target"));
    let fails = |expected: &str| {
        let said = error(project.release(&[TARGET], &target, &folder.path("dist")));
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains("== the gate"), "{said}");
    };
    project.commit();
    fails("Cargo.toml has version 0.1.0 in [workspace.package]: expected 7.8.9");
    project.edit("Cargo.toml", |text| {
        text.replacen("version = \"0.1.0\"", "version = \"7.8.9\"", 1)
    });
    fails("these files are changed");
    project.commit();
    fails("these crates of Cargo.toml have another version than =7.8.9");
    project.edit("Cargo.toml", |text| text.replace("=0.1.0", "=7.8.9"));
    project.commit();
    fails("CHANGELOG.md has nothing under \"## 7.8.9\"");
    project.edit("CHANGELOG.md", |text| {
        text.replace("## Unreleased", "## 7.8.9")
    });
    std::fs::create_dir(project.root.join("types")).unwrap();
    let listing = project.root.join("types/public-api.txt");
    std::fs::write(&listing, "pub fn a()\npub fn b()\n").unwrap();
    project.commit();
    // A release that breaks what the last one promised.
    let mut tag = project.command("git");
    tag.args(["tag", "v7.8.0"]);
    text(tag);
    std::fs::write(&listing, "pub fn b()\npub fn c()\n").unwrap();
    project.commit();
    fails("7.8.9 is compatible with v7.8.0, but public items were removed or changed\n-pub fn a()");
    // More public items break nothing; the gate is next.
    std::fs::write(&listing, "pub fn a()\npub fn b()\npub fn c()\n").unwrap();
    project.commit();
    let mut release = project.release(&[TARGET], &target, &folder.path("dist"));
    release.env("GATE", "false");
    let said = error(release);
    assert!(said.contains("the gate (false) failed"), "{said}");
}

/// The places that docs/releasing.md names are all places of the version: no other one keeps the old version.
#[test]
fn the_version_is_set_in_the_named_places_alone() {
    let folder = Folder::new();
    // What `cargo metadata` reads.
    let read = ["*.toml", "CHANGELOG.md", "*/src/lib.rs", "*/main.rs"];
    let project = Project::copy(PathBuf::from(folder.path("project")), &read);
    project.set_version();
    let mut metadata = project.command("cargo");
    metadata.args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&text(metadata)).unwrap();
    let of = |value: &Value, name: &str| value[name].as_array().unwrap().clone();
    let packages = of(&metadata, "packages");
    assert!(packages.len() > 10, "{packages:?}");
    for package in packages {
        assert_eq!(package["version"], VERSION, "{}", package["name"]);
        let own = of(&package, "dependencies").into_iter();
        for own in own.filter(|dependency| dependency["path"].is_string()) {
            let expected = [format!("={VERSION}"), "*".to_owned()];
            let found = own["req"].as_str().unwrap().to_owned();
            let place = format!("{} of {}", own["name"], package["name"]);
            assert!(expected.contains(&found), "{place}: {found}");
        }
    }
}

/// Builds the program in two folders. The gate runs it.
#[test]
#[ignore = "builds the program in two folders"]
fn a_release_is_reproducible_and_everything_in_it_is_installed() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let folder = Folder::new();
    let targets = targets();
    let one = Project::copy(PathBuf::from(folder.path("one")), &[]);
    one.set_version();
    let mut update = one.command("cargo");
    update.args(["update", "--quiet", "--workspace", "--offline"]);
    text(update);
    one.commit();
    let two = one.clone_to(PathBuf::from(folder.path("a/longer/path/of/two")));
    for project in [&one, &two] {
        // The crates of the project are compiled for each, since their files are newer. Other crates are compiled once: they do not take part in
        // where the project is.
        text(project.release(&targets, &target, "dist"));
    }
    let sums =
        |project: &Project| std::fs::read_to_string(project.root.join("dist/SHA256SUMS")).unwrap();
    assert_eq!(sums(&one), sums(&two));
    let dist = one.root.join("dist");
    shell(&dist, "sha256sum --check --strict --quiet SHA256SUMS");
    for name in [
        "flowcontrol.yaml",
        "NOTES.md",
        "kubectl-flowcontrol-7.8.9-linux-amd64.tar.gz",
        "kubectl-flowcontrol-7.8.9-linux-amd64.oci.tar",
        "kubectl-flowcontrol-7.8.9-linux-amd64.cdx.json",
    ] {
        assert!(sums(&one).contains(&format!("  {name}\n")), "{name}");
    }

    the_archive_runs_and_names_no_folder(&dist, &folder);
    if targets.contains(&ARM) {
        the_program_for_arm_is_static_and_runs(&dist, &folder);
    }
    the_image_runs_without_anything_else(&dist, &folder);
    the_list_of_crates(&dist);
    packages_are_where_krew_and_binstall_look(&one, &dist);
    the_action_installs_it(&one, &dist, &folder);
    cargo_installs_it(&two, &target, &folder);
    the_commands_that_publish_it(&one);
}

fn the_archive_runs_and_names_no_folder(dist: &Path, folder: &Folder) {
    let bin = PathBuf::from(folder.path("bin"));
    std::fs::create_dir(&bin).unwrap();
    let archive = dist.join("kubectl-flowcontrol-7.8.9-linux-amd64.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(archive).arg("-C").arg(&bin);
    text(tar);
    let schema = std::fs::read(bin.join("schema/output.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    assert!(schema.is_object());

    let program = std::fs::read(bin.join("kubectl-flowcontrol")).unwrap();
    let home = std::env::var("HOME").unwrap();
    for path in [&folder.path(""), &home, env!("CARGO_TARGET_TMPDIR")] {
        let path = format!("{}/", path.trim_end_matches('/'));
        let found = program
            .windows(path.len())
            .position(|part| part == path.as_bytes());
        assert_eq!(found, None, "the program names {path}");
    }
    // kubectl runs a plugin that it finds in the PATH.
    let kubectl = if is_installed("kubectl") {
        "kubectl flowcontrol"
    } else {
        "kubectl-flowcontrol"
    };
    let script = format!("PATH=$PWD:$PATH {kubectl} --version");
    assert_eq!(shell(&bin, &script), "kubectl-flowcontrol 7.8.9\n");
    // It is linked statically, and still finds hosts by their name.
    let script = "ldd kubectl-flowcontrol 2>&1 | grep -qE 'statically linked|not a dynamic executable'\n\
                  ./kubectl-flowcontrol get --server=http://localhost:1 2>&1 || true";
    let said = shell(&bin, script);
    assert!(said.contains("onnection refused"), "{said}");
}

fn the_program_for_arm_is_static_and_runs(dist: &Path, folder: &Folder) {
    let bin = PathBuf::from(folder.path("arm"));
    std::fs::create_dir(&bin).unwrap();
    let archive = dist.join("kubectl-flowcontrol-7.8.9-linux-arm64.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(archive).arg("-C").arg(&bin);
    text(tar);
    let program = std::fs::read(bin.join("kubectl-flowcontrol")).unwrap();
    assert_eq!(program[..5], *b"\x7fELF\x02");
    // AArch64, and no interpreter, which loads shared libraries.
    assert_eq!(program[18..20], [0xb7, 0]);
    let loader = b"/lib/ld-";
    assert!(!program.windows(loader.len()).any(|part| part == loader));
    let emulator = "qemu-aarch64-static";
    if Command::new(emulator).arg("--version").output().is_err() {
        eprintln!("{emulator} is not installed, so the program for ARM is not run");
        return;
    }
    let script = format!(
        "{emulator} ./kubectl-flowcontrol --version\n\
         {emulator} ./kubectl-flowcontrol get --server=http://localhost:1 2>&1 || true"
    );
    let said = shell(&bin, &script);
    assert!(said.starts_with("kubectl-flowcontrol 7.8.9\n"), "{said}");
    assert!(said.contains("onnection refused"), "{said}");
}

fn the_image_runs_without_anything_else(dist: &Path, folder: &Folder) {
    let image = PathBuf::from(folder.path("image"));
    std::fs::create_dir_all(image.join("root")).unwrap();
    let script = format!(
        "tar -xf {}/kubectl-flowcontrol-7.8.9-linux-amd64.oci.tar\n\
         blob() {{ sed 's/.*\"layers\":\\[{{[^}}]*\"digest\":\"sha256:\\([0-9a-f]*\\)\".*/\\1/' \"$1\"; }}\n\
         manifest=$(sed 's/.*\"digest\":\"sha256:\\([0-9a-f]*\\)\".*/\\1/' index.json)\n\
         tar -xzf blobs/sha256/$(blob blobs/sha256/$manifest) -C root\n\
         if [ $(id -u) = 0 ]; then chroot --userspec=65532:65532 root /kubectl-flowcontrol --version; \
         else root/kubectl-flowcontrol --version; fi",
        dist.display()
    );
    assert_eq!(shell(&image, &script), "kubectl-flowcontrol 7.8.9\n");
}

fn the_list_of_crates(dist: &Path) {
    let list = dist.join("kubectl-flowcontrol-7.8.9-linux-amd64.cdx.json");
    let text = std::fs::read_to_string(list).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(list["bomFormat"], "CycloneDX");
    assert_eq!(list["metadata"]["component"]["version"], VERSION);
    let components = list["components"].as_array().unwrap();
    let has = |name: &str| components.iter().any(|part| part["name"] == name);
    for name in ["k8s-flowcontrol-rules", "rustls", "ring", "serde_json"] {
        assert!(has(name), "{name}");
    }
    // Crates for tests, and for other systems.
    for name in ["proptest", "vt100", "windows-sys"] {
        assert!(!has(name), "{name}");
    }
}

fn packages_are_where_krew_and_binstall_look(project: &Project, dist: &Path) {
    let manifest = std::fs::read(dist.join("flowcontrol.yaml")).unwrap();
    let manifest: Value = to_value(parse_yaml(&manifest).unwrap().tree.root()).unwrap();
    let platform = &manifest["spec"]["platforms"][0];
    let uri = platform["uri"].as_str().unwrap();
    let name = "kubectl-flowcontrol-7.8.9-linux-amd64.tar.gz";
    assert!(uri.ends_with(&format!("/releases/download/v{VERSION}/{name}")));
    let mut metadata = project.command("cargo");
    metadata.args(["metadata", "--offline", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&text(metadata)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "kubectl-flowcontrol")
        .unwrap();
    let binstall = &package["metadata"]["binstall"];
    for (target, architecture) in [("x86_64", "amd64"), ("aarch64", "arm64")] {
        let template = &binstall["overrides"][format!("{target}-unknown-linux-musl")]["pkg-url"];
        let repository = package["repository"].as_str().unwrap();
        let filled = template
            .as_str()
            .unwrap()
            .replace("{ repo }", repository)
            .replace("{ version }", VERSION);
        assert_eq!(filled, uri.replace("amd64", architecture));
    }
}

fn the_action_installs_it(project: &Project, dist: &Path, folder: &Folder) {
    // The step of the action, as the forge runs it.
    let action = std::fs::read(project.root.join("action.yml")).unwrap();
    let action: Value = to_value(parse_yaml(&action).unwrap().tree.root()).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let step = |name: &str| {
        let step = steps.iter().find(|step| step["name"] == name).unwrap();
        step["run"].as_str().unwrap().to_owned()
    };
    let releases = folder.path("releases");
    let release = format!("{releases}/v{VERSION}");
    std::fs::create_dir_all(&release).unwrap();
    shell(dist, &format!("cp * {release}"));
    let run = |name: &str, releases: &str| {
        let mut bash = project.command("bash");
        bash.args(["-eo", "pipefail", "-c", &step(name)]);
        let paths = std::env::var("PATH").unwrap();
        // No cargo: this must not build.
        let cargo = folder.file("none/cargo", "#!/bin/sh\necho built; exit 9\n");
        shell(&project.root, &format!("chmod +x {cargo}"));
        let none = folder.path("none");
        let temporary = folder.path("temporary");
        let installed = format!("{temporary}/kubectl-flowcontrol");
        bash.env("PATH", format!("{installed}:{none}:{paths}"));
        bash.env("GITHUB_ACTION_PATH", &project.root);
        bash.env("RUNNER_TEMP", temporary);
        bash.env("GITHUB_PATH", folder.path("path"));
        bash.env("RELEASES", format!("file://{releases}"));
        bash.env("PATHS", "examples/manifests").env("TO", "v1");
        output(bash)
    };
    let install = "Install kubectl-flowcontrol";
    let installed = run(install, &releases);
    assert!(installed.status.success(), "{installed:?}");
    assert!(!String::from_utf8_lossy(&installed.stdout).contains("built"));
    let path = std::fs::read_to_string(folder.path("path")).unwrap();
    let version = shell(Path::new(path.trim()), "./kubectl-flowcontrol --version");
    assert_eq!(version, "kubectl-flowcontrol 7.8.9\n");
    // The manifests of the examples have old versions.
    let check = run("Check", &releases);
    let said = String::from_utf8_lossy(&check.stdout);
    assert_eq!(check.status.code(), Some(1), "{check:?}");
    assert!(said.contains("v1beta"), "{said}");

    // Without a release of this version it is built.
    let built = run(install, &folder.path("nothing"));
    assert_eq!(built.status.code(), Some(9), "{built:?}");
    // A changed archive is an error, and nothing is built instead.
    let name = "kubectl-flowcontrol-7.8.9-linux-amd64.tar.gz";
    std::fs::write(format!("{release}/{name}"), "something else").unwrap();
    let changed = run(install, &releases);
    let said = String::from_utf8_lossy(&changed.stderr);
    assert_eq!(changed.status.code(), Some(1), "{changed:?}");
    assert!(said.contains("is not the one in SHA256SUMS"), "{said}");
}

fn cargo_installs_it(project: &Project, target: &Path, folder: &Folder) {
    // With the flags of the release, so that Cargo compiles the crates of others no second time.
    let mut install = project.command(project.root.join("packaging/program"));
    let root = folder.path("installed");
    install.args([TARGET, "cargo", "install", "--quiet", "--locked"]);
    install.args(["--offline", "--debug", "--target", TARGET]);
    install.args(["--path", "cli", "--root", &root]);
    install
        .env("CARGO_TARGET_DIR", target)
        .env("PROFILE", "dev");
    install.env("CARGO_PROFILE_DEV_DEBUG", "false");
    text(install);
    let version = shell(Path::new(&root), "bin/kubectl-flowcontrol --version");
    assert_eq!(version, "kubectl-flowcontrol 7.8.9\n");
}

fn the_commands_that_publish_it(project: &Project) {
    let mut publish = project.command(project.root.join("packaging/publish"));
    publish.args([VERSION, "dist"]).env("DRY_RUN", "1");
    publish.env("IMAGE", "registry.example.com/flowcontrol");
    let commands = text(publish);
    for command in [
        "cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS",
        "gh release create v7.8.9",
        "skopeo copy --digestfile kubectl-flowcontrol-7.8.9-linux-amd64.oci.tar.digest",
        "docker://registry.example.com/flowcontrol:7.8.9-amd64",
        "cargo publish --locked --workspace",
    ] {
        assert!(commands.contains(command), "{command}: {commands}");
    }
    // A file that was changed after the release was made is not published.
    let notes = project.root.join("dist/NOTES.md");
    std::fs::write(notes, "something else").unwrap();
    let mut publish = project.command(project.root.join("packaging/publish"));
    publish.args([VERSION, "dist"]).env("DRY_RUN", "1");
    error(publish);
}
