//! `serve`: the embedded API server.

mod kubeconfig;

use crate::cluster::block_on_to_the_end;
use crate::command::{Command, Declared, Group};
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::input::read_named;
use crate::objects::Objects;
use crate::output::{Streams, plural};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Release, Resource};
use k8s_flowcontrol_server::ApiServer;
use std::fmt::Display;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

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
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,

    /// Listen on an address that other hosts can reach without `--tokens` or without TLS: everyone who reaches the server may do
    /// anything
    #[arg(long)]
    unprotected: bool,

    /// The port; 0 selects a free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Serve all API versions, whichever the release serves
    #[arg(long)]
    all_versions: bool,

    /// A file with bearer tokens of users, like kube-apiserver's `--token-auth-file`: token,user,uid,"group1,group2". With
    /// tokens only the group system:masters may do anything; without tokens every client may. Implies `--tls`, because
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
}

const EXAMPLES: &str = "\
Examples:
  # A server for experiments
  kubectl flowcontrol serve --kubernetes 1.29 --write-kubeconfig kubeconfig &
  kubectl --kubeconfig kubeconfig get flowschemas

  # With manifests, users and TLS
  kubectl flowcontrol serve -f manifests/ --tokens tokens.csv --write-kubeconfig kubeconfig

Ctrl-C stops it.";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "serve";
    const GROUP: Group = Group::Run;
    const PLACE: u8 = 1;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        run(self, streams)
    }
}

fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    args.force.replace(&args.write_kubeconfig, streams)?;
    let release = args.release;
    let mut builder = ApiServer::builder()
        .release(release)
        .address(args.address)
        .port(args.port)
        .server_seats(args.server_seats);
    let mut users = Vec::new();
    if args.all_versions {
        builder = builder.all_versions();
    }
    if args.tls || args.tokens.is_some() {
        builder = builder.tls();
    }
    if args.unprotected {
        builder = builder.unprotected();
    }
    if args.flow_control {
        builder = builder.flow_control(true);
    }
    if let Some(folder) = &args.data_dir {
        builder = builder.data_dir(folder);
    }
    if let Some(file) = &args.tokens {
        let unreadable = |error: &dyn Display| {
            Failure::input(format!("cannot read {}: {error}", file.display()))
        };
        let tokens = read_named(file).map_err(|error| unreadable(&error))?;
        let tokens = String::from_utf8(tokens).map_err(|error| unreadable(&error))?;
        builder = builder.tokens(&tokens);
        users = kubeconfig::users(&tokens);
    }
    let objects = match args.files.is_empty() {
        true => Objects::default(),
        false => Objects::read(&FileArgs::of(&args.files), release, streams)?,
    };
    block_on_to_the_end(async {
        // Signals are handled before the address is printed, so a client can stop the server from then on.
        let mut stop = Stop::new()?;
        let server = builder.start().await.map_err(|error| {
            let failure = Failure::input(error.to_string());
            match error.is_unprotected() {
                true => failure
                    .hint("add `--tokens`, or `--unprotected` if everyone may reach the server"),
                false => failure,
            }
        })?;
        let started = start(args, &server, &users, objects, streams).await;
        if started.is_ok() {
            stop.wait().await;
        }
        server.stop().await;
        started
    })
}

/// Applies the objects, writes the kubeconfig file and prints the address.
async fn start(
    args: &Args,
    server: &ApiServer,
    users: &[kubeconfig::User],
    objects: Objects,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let mut count = 0;
    if !objects.documents.is_empty() {
        let client = Client::new(Config::builder().text(server.kubeconfig()).build()?)?;
        count += apply::<PriorityLevelConfiguration>(&client, &objects.levels).await?;
        count += apply::<FlowSchema>(&client, &objects.flow_schemas).await?;
    }
    if let Some(file) = &args.write_kubeconfig {
        kubeconfig::write(file, &kubeconfig::with_users(&server.kubeconfig(), users)?)?;
    }
    writeln!(streams.out, "{}", server.url())?;
    streams.out.flush()?;
    writeln!(
        streams.err,
        "emulating Kubernetes {}, {} applied; Ctrl-C stops the server",
        args.release,
        plural(count, "object")
    )?;
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

/// The signals that stop the server: Ctrl-C and SIGTERM.
struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    #[cfg(unix)]
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind)
                .map_err(|error| Failure::input(format!("cannot listen for Ctrl-C: {error}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> Result<Self, Failure> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) {
        // If listening fails, Ctrl-C ends the process.
        let _ = tokio::signal::ctrl_c().await;
    }
}
