//! The commands for clusters, as people and scripts run them: the program against embedded servers.

mod applying;
mod choosing;
mod control_planes;
mod deleting;
mod diagnosing;
mod escapes;
mod getting;
mod made_up;
mod monitoring;
mod new_user;
mod numbers;
mod previewing;
mod rbac;
mod reading;
mod scanning;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(unix)]
mod signals;
mod storage;
#[cfg(target_os = "linux")]
mod terminal;
mod trouble;
mod upkeep;
mod validating;
mod writing;

use crate::common::{Folder, code, program, schema, stderr, stdout};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol_server::{ApiServer, Builder};
use serde_json::{Value, json};

/// A server, and the files of a test.
struct Cluster {
    server: ApiServer,
    folder: Folder,
}

/// The output of a run.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        self
    }
}

impl Cluster {
    async fn start(builder: Builder) -> Self {
        let server = builder.start().await.unwrap();
        let folder = Folder::new();
        folder.file("kubeconfig", server.kubeconfig());
        Self { server, folder }
    }

    /// A server of a release.
    async fn of(release: &str) -> Self {
        Self::start(ApiServer::builder().kubernetes(release)).await
    }

    /// Runs a command on the cluster. The server answers on other threads meanwhile.
    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(&self.folder.path("kubeconfig"), arguments)
    }

    fn run_with(&self, kubeconfig: &str, arguments: &[&str]) -> Ran {
        let mut command = program();
        command.args(arguments).args(["--kubeconfig", kubeconfig]);
        let output = tokio::task::block_in_place(|| command.output().unwrap());
        if let Some(name) = schema::name_of(arguments) {
            schema::check(name, &output.stdout);
        }
        Ran {
            code: code(&output),
            out: stdout(&output),
            err: stderr(&output),
        }
    }

    /// Runs a command without the kubeconfig, in an operating system that trusts the server's authority.
    fn run_alone(&self, arguments: &[&str]) -> std::process::Output {
        let authority = self.file("ca.crt", self.server.ca_pem().unwrap());
        let mut command = program();
        command.args(arguments).env("SSL_CERT_FILE", authority);
        tokio::task::block_in_place(|| command.output().unwrap())
    }

    fn client(&self) -> Client {
        Client::from_url(self.server.url()).unwrap()
    }

    /// Makes a level, with `manager` as its field manager.
    async fn level(&self, metadata: Value, shares: u32, manager: &str) {
        let level: v1::PriorityLevelConfiguration = serde_json::from_value(json!({
            "metadata": metadata,
            "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": shares, "limitResponse": {"type": "Reject"}}},
        }))
        .unwrap();
        let api = self.client().api::<v1::PriorityLevelConfiguration>();
        api.create(&level).field_manager(manager).await.unwrap();
    }

    /// An object as the cluster shows it.
    fn object(&self, target: &str) -> Value {
        let arguments = ["get", target, "-o", "json", "--show-managed-fields"];
        self.run(&arguments).expect(0).json()
    }

    fn file(&self, name: &str, text: &str) -> String {
        self.folder.file(name, text)
    }
}

/// A level as a manifest.
fn level(version: &str, name: &str, shares: u32) -> String {
    let field = match version {
        "v1beta1" | "v1beta2" => "assuredConcurrencyShares",
        _ => "nominalConcurrencyShares",
    };
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: {name}\nspec:\n  type: Limited\n  limited:\n    {field}: {shares}\n    limitResponse:\n      type: Reject\n"
    )
}

/// The entries of managedFields: manager, operation and version.
fn managers(object: &Value) -> Vec<String> {
    // Without entries the list is absent.
    let entries = object["metadata"]["managedFields"].as_array();
    let entries = entries.map_or(&[][..], Vec::as_slice);
    let word = |entry: &Value, member: &str| entry[member].as_str().unwrap_or_default().to_owned();
    entries
        .iter()
        .map(|entry| {
            let version = word(entry, "apiVersion");
            let version = version.rsplit('/').next().unwrap_or_default();
            format!(
                "{} {} {version}",
                word(entry, "manager"),
                word(entry, "operation")
            )
        })
        .collect()
}
