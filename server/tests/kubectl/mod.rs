//! A tour with the real `kubectl`, each program against its own server release.
//!
//! The programs are those whose names begin with `kubectl` in the folder `FLOWCONTROL_TEST_KUBECTLS`, or else the
//! `kubectl` on `PATH`. Without one the test does nothing.

use k8s_flowcontrol_server::ApiServer;
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GROUP: &str = "flowcontrol.apiserver.k8s.io";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_works_as_with_a_real_server() {
    let programs = programs();
    if programs.is_empty() {
        println!("skipped: no kubectl in FLOWCONTROL_TEST_KUBECTLS and none on PATH");
    }
    for program in programs {
        let Some(minor) = minor_release(&program) else {
            println!("skipped: {} does not run", program.display());
            continue;
        };
        // Releases outside the range of the server work with their neighbours.
        let release = minor.clamp(25, 37);
        println!(
            "{}: release 1.{minor}, server 1.{release}",
            program.display()
        );
        let server = ApiServer::builder().kubernetes(format!("1.{release}"));
        let server = server.start().await.unwrap();
        let folder = env::temp_dir().join(format!("kubectl-{}-{minor}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("kubeconfig"), server.kubeconfig()).unwrap();
        let tour = Tour {
            program,
            folder,
            release,
        };
        tour.documents();
        tour.writes();
        tour.changes();
        tour.deletions();
        fs::remove_dir_all(&tour.folder).unwrap();
    }
}

fn programs() -> Vec<PathBuf> {
    let executable = |path: &PathBuf| path.is_file();
    let Some(folder) = env::var_os("FLOWCONTROL_TEST_KUBECTLS") else {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut found = env::split_paths(&path).map(|folder| folder.join("kubectl"));
        return found.find(executable).into_iter().collect();
    };
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_kubectl = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("kubectl")
    };
    let mut programs: Vec<_> = files.filter(executable).filter(is_kubectl).collect();
    programs.sort();
    programs
}

/// The minor release of a program, or `None` if it does not run.
fn minor_release(program: &Path) -> Option<u32> {
    let version = ["version", "--client", "--output=json"];
    let output = Command::new(program).args(version).output().ok()?;
    let version: Value = serde_json::from_slice(&output.stdout).ok()?;
    let minor = version["clientVersion"]["minor"].as_str()?;
    minor.trim_end_matches('+').parse().ok()
}

/// A program with a server of its release, and a folder for its files.
struct Tour {
    program: PathBuf,
    folder: PathBuf,
    release: u32,
}

impl Tour {
    /// The output of a command that ends with this code.
    #[track_caller]
    fn expect(&self, code: i32, command: &str) -> String {
        let output = self.run(command);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let found = output.status.code();
        assert_eq!(
            found,
            Some(code),
            "1.{} {command}\n{out}\n{err}",
            self.release
        );
        out + &err
    }

    #[track_caller]
    fn ok(&self, command: &str) -> String {
        self.expect(0, command)
    }

    fn run(&self, command: &str) -> Output {
        Command::new(&self.program)
            .args(command.split(' '))
            .current_dir(&self.folder)
            .env("KUBECONFIG", "kubeconfig")
            // The cache of discovery.
            .env("HOME", &self.folder)
            .env("KUBE_EDITOR", "true")
            .output()
            .unwrap()
    }

    fn version(&self) -> &'static str {
        match self.release {
            ..=25 => "v1beta2",
            26..=28 => "v1beta3",
            29.. => "v1",
        }
    }

    fn write(&self, file: &str, kind: &str, spec: &str) {
        let version = self.version();
        let text = format!(
            "apiVersion: {GROUP}/{version}\nkind: {kind}\nmetadata: {{name: batch}}\nspec: {spec}\n"
        );
        fs::write(self.folder.join(file), text).unwrap();
    }

    /// Discovery, OpenAPI and reviews.
    fn documents(&self) {
        assert!(self.ok("version").contains("Server Version"));
        assert!(
            self.ok("api-resources")
                .contains("prioritylevelconfigurations")
        );
        let version = format!("{GROUP}/{}", self.version());
        assert!(self.ok("api-versions").contains(&version));
        assert!(self.ok("explain flowschema").contains("FlowSchema"));
        assert!(
            self.ok("explain flowschema.spec.rules --recursive")
                .contains("nonResourceURLs")
        );
        assert!(
            self.ok("get --raw /openapi/v2")
                .contains("\"swagger\":\"2.0\"")
        );
        assert!(self.ok("auth can-i delete flowschemas").contains("yes"));
        assert!(
            self.ok("auth can-i --list")
                .contains("selfsubjectaccessreviews")
        );
        if self.release >= 28 {
            assert!(self.ok("auth whoami").contains("system:masters"));
        }
    }

    /// Apply, diff, create and replace, with the checks that need the documents of OpenAPI.
    fn writes(&self) {
        let shares = match self.release {
            ..=25 => "assuredConcurrencyShares",
            _ => "nominalConcurrencyShares",
        };
        let level = |count| {
            format!(
                "{{type: Limited, limited: {{{shares}: {count}, limitResponse: {{type: Reject}}}}}}"
            )
        };
        let kind = "PriorityLevelConfiguration";
        self.write("level.yaml", kind, &level(10));
        self.write("changed.yaml", kind, &level(20));
        let schema = "priorityLevelConfiguration: {name: batch}, matchingPrecedence: 1000";
        self.write("schema.yaml", "FlowSchema", &format!("{{{schema}}}"));
        self.write(
            "wrong.yaml",
            "FlowSchema",
            &format!("{{{schema}, wrong: 1}}"),
        );

        assert!(
            self.expect(1, "diff -f level.yaml")
                .contains("+  name: batch")
        );
        for dry_run in ["client", "server"] {
            self.ok(&format!("apply --dry-run={dry_run} -f level.yaml"));
        }
        assert!(
            self.ok("apply -f level.yaml -f schema.yaml")
                .contains("created")
        );
        assert!(self.ok("apply -f level.yaml").contains("unchanged"));
        self.ok("diff -f level.yaml -f schema.yaml");
        // `kind: List` is a kind of the core group, which clients find in aggregated discovery.
        if self.release >= 27 {
            let list = self.ok("get flowschemas -o json");
            fs::write(self.folder.join("list.json"), list).unwrap();
            self.ok("apply --server-side --force-conflicts --dry-run=server -f list.json");
        }
        self.expect(1, "diff -f changed.yaml");
        assert!(self.ok("apply -f changed.yaml").contains("configured"));
        let forced = "apply --server-side --force-conflicts -f level.yaml";
        assert!(self.ok(forced).contains("serverside-applied"));
        assert!(
            self.expect(1, "apply -f wrong.yaml")
                .contains("unknown field")
        );
        assert!(
            self.expect(1, "create -f level.yaml")
                .contains("AlreadyExists")
        );
        assert!(self.ok("replace -f changed.yaml").contains("replaced"));
    }

    /// Changes of parts, and the commands that wait for them.
    fn changes(&self) {
        self.ok(r#"patch flowschema batch -p {"spec":{"matchingPrecedence":1001}}"#);
        self.ok(r#"patch flowschema batch --type=merge -p {"spec":{"matchingPrecedence":1002}}"#);
        self.ok("label flowschema batch a=b");
        self.ok("annotate flowschema batch a=b");
        assert!(self.ok("edit flowschema batch").contains("no changes"));
        self.ok("wait --for=condition=Dangling=False flowschema/batch --timeout=60s");
        let listed = self.ok("get flowschemas -l a=b --no-headers -o wide");
        assert!(
            listed.starts_with("batch ") && listed.contains("1002"),
            "{listed}"
        );
        assert!(
            self.ok("describe flowschema batch")
                .contains("Matching Precedence:")
        );
    }

    fn deletions(&self) {
        self.ok("delete flowschema batch --cascade=foreground --timeout=60s");
        self.expect(1, "delete flowschema batch");
        self.ok("delete flowschema batch --ignore-not-found");
        self.ok("delete -f level.yaml --timeout=60s");
        assert!(self.expect(1, "get -f level.yaml").contains("NotFound"));
    }
}
