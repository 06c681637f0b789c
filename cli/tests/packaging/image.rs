//! The container image, made without a daemon, unpacked and run.

use crate::common::Folder;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn run(program: &str, arguments: &[&str], certificates: &str) -> String {
    let mut command = Command::new(program);
    command.args(arguments).env("CERTIFICATES", certificates);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The blob of a descriptor, after its size and digest were compared.
fn blob(image: &str, descriptor: &Value) -> String {
    let digest = descriptor["digest"].as_str().unwrap();
    let digest = digest.strip_prefix("sha256:").unwrap();
    let path = format!("{image}/blobs/sha256/{digest}");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), descriptor["size"]);
    let sum = run("sha256sum", &[&path], "");
    assert!(sum.starts_with(digest), "{sum}");
    path
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn an_image_is_reproducible_names_its_user_and_has_a_program_that_runs() {
    let folder = Folder::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/image");
    let script = script.to_str().unwrap();
    // A small program in the place of the real one.
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    let program = folder.file("native", format!("#!/bin/sh\nexec '{program}' \"$@\"\n"));
    run("chmod", &["+x", &program], "");
    let certificates = folder.file("authorities.pem", "certificates\n");
    let archives = ["one", "two"].map(|name| {
        let to = folder.path(name);
        run(script, &[&program, "1.2.3", "amd64", &to], &certificates)
    });
    let [one, two] = archives
        .each_ref()
        .map(|archive| std::fs::read(archive).unwrap());
    assert!(one == two, "two images of one program differ");

    let image = folder.path("image");
    std::fs::create_dir(&image).unwrap();
    run("tar", &["-xf", &archives[0], "-C", &image], "");
    assert_eq!(
        json(&format!("{image}/oci-layout"))["imageLayoutVersion"],
        "1.0.0"
    );
    let manifest = json(&blob(
        &image,
        &json(&format!("{image}/index.json"))["manifests"][0],
    ));
    let config = json(&blob(&image, &manifest["config"]));
    assert_eq!(config["config"]["User"], "65532:65532");
    assert_eq!(config["architecture"], "amd64");

    let layer = blob(&image, &manifest["layers"][0]);
    let root = folder.path("root");
    std::fs::create_dir(&root).unwrap();
    run("tar", &["-xzf", &layer, "-C", &root], "");
    let entry = config["config"]["Entrypoint"][0].as_str().unwrap();
    let version = run(&format!("{root}{entry}"), &["--version"], "");
    assert!(version.starts_with("kubectl-flowcontrol "), "{version}");
    let authorities = std::fs::read(format!("{root}/etc/ssl/certs/ca-certificates.crt"));
    assert_eq!(authorities.unwrap(), b"certificates\n");
}
