//! `serve`: the embedded API server.

mod kubeconfig;
mod torture;

use crate::cluster::{block_on_to_the_end, seats};
use crate::command::{Command, Declared, Group};
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::number::number;
use crate::objects::Objects;
use crate::output::{Streams, plural};
use crate::signals::Stop;
use crate::token_file::read_tokens;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Release, Resource};
use k8s_flowcontrol_server::ApiServer;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use torture::{Behind, TortureArgs, start_failure};

/// Run a local API server for flow-control objects, without a cluster
///
/// The server behaves like kube-apiserver for FlowSchemas and PriorityLevelConfigurations: the versions, defaults, validation and
/// built-in objects of a release, watches, server-side apply, users and TLS. Objects are kept in memory, and with `--data-dir`
/// in a folder too. The first line of the output is the address of the server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The Kubernetes release to emulate, such as 1.29
    #[arg(long = "kubernetes", value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,

    /// The address to listen on, such as 0.0.0.0 for all addresses of this host. An address that other hosts can reach needs
    /// `--tokens`
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into(), value_parser = address)]
    address: IpAddr,

    /// Listen on an address that other hosts can reach without `--tokens` or without TLS: everyone who reaches the server may do
    /// anything
    #[arg(long)]
    unprotected: bool,

    /// The port; 0 selects a free port
    #[arg(long, value_name = "PORT", default_value_t = 0, value_parser = number::<u16>(0..=65_535))]
    port: u16,

    /// Serve all API versions, whichever the release serves
    #[arg(long)]
    all_versions: bool,

    /// A file with bearer tokens of users, like kube-apiserver's `--token-auth-file`: token,user,uid,"group1,group2". With
    /// tokens only the groups system:masters and kubeadm:cluster-admins may do anything; without tokens every client may. Implies `--tls`, because
    /// kubectl and this client send tokens over TLS only
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Use HTTPS
    #[arg(long)]
    tls: bool,

    /// Keep the objects in this folder, so that they survive a restart. Another release can be emulated after the restart
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Queue and reject requests as API Priority and Fairness does. Requests of system:masters, and so all requests without
    /// `--tokens`, are exempt
    #[arg(long)]
    flow_control: bool,

    /// The seats of the server, which the priority levels divide: --max-requests-inflight plus --max-mutating-requests-inflight
    #[arg(
        long,
        value_name = "SEATS",
        default_value_t = 600,
        value_parser = seats,
        requires = "flow_control"
    )]
    server_seats: u32,

    /// Write a kubeconfig file for the server, readable only by you, with a context for the user of each token
    #[arg(long, alias = "kubeconfig", value_name = "FILE")]
    write_kubeconfig: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArg,

    /// Apply the objects of this file or folder at the start; can be repeated
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    torture: TortureArgs,
}

const EXAMPLES: &str = "\
Examples:
  # A server for experiments
  kubectl flowcontrol serve --kubernetes 1.29 --write-kubeconfig kubeconfig &
  kubectl --kubeconfig kubeconfig get flowschemas

  # With manifests, users and TLS
  kubectl flowcontrol serve -f manifests/ --tokens tokens.csv --write-kubeconfig kubeconfig

  # A controller under broken connections and rejections, with a local server and with a cluster
  kubectl flowcontrol serve --torture resets,throttling --write-kubeconfig tortured
  kubectl flowcontrol serve --torture all --tls --proxy-to ~/.kube/config \\
    --write-kubeconfig tortured

Ctrl-C stops it.";

fn address(text: &str) -> Result<IpAddr, String> {
    let expected = "expected an IP address without a port, such as 127.0.0.1; `--port` is the port";
    text.parse().map_err(|_| expected.to_owned())
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "serve";
    const GROUP: Group = Group::Run;
    const PLACE: u8 = 1;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        self.force.replace(&self.write_kubeconfig, streams)?;
        let release = self.release;
        let mut builder = ApiServer::builder()
            .release(release)
            .server_seats(self.server_seats);
        let mut tokens = None;
        if self.all_versions {
            builder = builder.all_versions();
        }
        // Behind a torture, the server is reached through memory.
        let is_front = !self.torture.is_set();
        if is_front {
            builder = builder.address(self.address).port(self.port);
            if self.tls || self.tokens.is_some() {
                builder = builder.tls();
            }
            if self.unprotected {
                builder = builder.unprotected();
            }
        }
        if self.flow_control {
            builder = builder.flow_control(true);
        }
        if let Some(folder) = &self.data_dir {
            builder = builder.data_dir(folder);
        }
        if let Some(file) = &self.tokens {
            let text = read_tokens(file)?;
            if is_front {
                builder = builder.tokens(&text);
            }
            tokens = Some(text);
        }
        let objects = match self.files.is_empty() {
            true => Objects::default(),
            false => Objects::read(&FileArgs::of(&self.files), release, streams)?,
        };
        block_on_to_the_end(async {
            // Signals are handled before the address is printed, so a client can stop the server from then on.
            let mut stop = Stop::new()?;
            let failed = |error| start_failure(&error, self.tokens.as_deref());
            let behind = match self.torture.proxy_to {
                Some(_) => Behind::Cluster,
                None => Behind::Embedded(builder.start().await.map_err(failed)?),
            };
            let torture = self.torture.start(self, tokens.as_deref(), &behind).await?;
            let mut count = 0;
            if let Behind::Embedded(server) = &behind {
                count = apply_all(server, objects).await?;
            }
            let (url, config) = match (&torture, &behind) {
                (Some(torture), _) => (torture.url(), torture.kubeconfig()),
                (None, Behind::Embedded(server)) => (server.url(), server.kubeconfig()),
                (None, Behind::Cluster) => {
                    return Err(Failure::input("`--proxy-to` needs `--torture`"));
                }
            };
            let started = start(self, (&url, &config), count, streams);
            if started.is_ok() {
                stop.wait().await;
                if let Some(torture) = &torture {
                    self.torture.report(torture, streams)?;
                }
            }
            if let Behind::Embedded(server) = behind {
                server.stop().await;
            }
            started
        })
    }
}

/// Applies the objects, and returns their number.
async fn apply_all(server: &ApiServer, objects: Objects) -> Result<usize, Failure> {
    if objects.documents.is_empty() {
        return Ok(0);
    }
    let client = Client::new(Config::builder().text(server.kubeconfig()).build()?)?;
    let levels = apply::<PriorityLevelConfiguration>(&client, &objects.levels).await?;
    Ok(levels + apply::<FlowSchema>(&client, &objects.flow_schemas).await?)
}

/// Writes the kubeconfig file and prints the address.
fn start(
    args: &Args,
    (url, kubeconfig): (&str, &str),
    applied: usize,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    if let Some(file) = &args.write_kubeconfig {
        kubeconfig::write(file, kubeconfig)?;
    }
    writeln!(streams.out, "{url}")?;
    streams.out.flush()?;
    match &args.torture.proxy_to {
        Some(file) => writeln!(
            streams.err,
            "forwarding to the cluster of {}; Ctrl-C stops the server and prints the report",
            file.display()
        )?,
        None => writeln!(
            streams.err,
            "emulating Kubernetes {}, {} applied; Ctrl-C stops the server",
            args.release,
            plural(applied, "object")
        )?,
    }
    if let Some(file) = &args.write_kubeconfig {
        writeln!(streams.err, "kubeconfig: {}", file.display())?;
    }
    Ok(Exit::Success)
}

/// Applies the last object of each name, and returns their number.
async fn apply<K>(client: &Client, objects: &[K]) -> Result<usize, Failure>
where
    K: Resource + k8s_flowcontrol::client::Negotiable,
{
    let api = client.negotiated::<K>().await?;
    let mut count = 0;
    for (index, object) in objects.iter().enumerate() {
        let counts = objects[index + 1..]
            .iter()
            .all(|later| later.name() != object.name());
        if !counts {
            continue;
        }
        let mut object = object.clone();
        // Metadata of an exported object belongs to its original cluster.
        let metadata = object.metadata_mut();
        metadata.managed_fields.clear();
        metadata.resource_version = None;
        metadata.uid = None;
        api.apply(&object)
            .field_manager(env!("CARGO_PKG_NAME"))
            .force()
            .await
            .map_err(|error| {
                let (kind, name) = (K::KIND, object.name());
                Failure::input(format!("{kind} \"{name}\" was not applied: {error}"))
            })?;
        count += 1;
    }
    Ok(count)
}
