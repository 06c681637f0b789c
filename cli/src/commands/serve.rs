//! `serve`: the embedded API server.

mod kubeconfig;

use crate::cluster::block_on;
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{Streams, plural};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Release, Resource};
use k8s_flowcontrol_server::ApiServer;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Run an API server for flow control objects, without a cluster
///
/// It behaves like kube-apiserver for FlowSchemas and PriorityLevelConfigurations: the versions, defaults, validation and
/// built-in objects of a release, watches, server-side apply, users and TLS. Objects are kept in memory. The first line
/// of the output is its address.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The Kubernetes release to be like, such as 1.29
    #[arg(long = "kubernetes", value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,

    /// The port on 127.0.0.1; 0 is one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Serve all versions of the API, whatever the release serves
    #[arg(long)]
    all_versions: bool,

    /// The bearer tokens of users, in a file like kube-apiserver's `--token-auth-file`: token,user,uid,"group1,group2".
    /// Only the group system:masters may do anything then; without tokens everybody may
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Speak HTTPS
    #[arg(long)]
    tls: bool,

    /// Write a kubeconfig file for the server, readable by you alone
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Apply the objects of this file or folder at the start; may be given more than once
    #[arg(short = 'f', long = "filename", value_name = "MANIFESTS")]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  # A server to try things on
  kubectl flowcontrol serve --kubernetes 1.29 --kubeconfig kubeconfig &
  kubectl --kubeconfig kubeconfig get flowschemas

  # With manifests, users and TLS
  kubectl flowcontrol serve -f manifests/ --tokens tokens.csv --tls --kubeconfig kubeconfig

Ctrl-C stops it.";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let release = args.release;
    let mut builder = ApiServer::builder().release(release).port(args.port);
    if args.all_versions {
        builder = builder.all_versions();
    }
    if args.tls {
        builder = builder.tls();
    }
    if let Some(file) = &args.tokens {
        let tokens = fs::read_to_string(file)
            .map_err(|error| Failure::input(format!("cannot read {}: {error}", file.display())))?;
        builder = builder.tokens(tokens);
    }
    let objects = match args.files.is_empty() {
        true => Objects::default(),
        false => Objects::read(&FileArgs::of(&args.files), release, streams)?,
    };
    block_on(async {
        // Before anything is announced: who stops it meanwhile is heard.
        let mut stop = Stop::new()?;
        let server = builder
            .start()
            .await
            .map_err(|error| Failure::input(error.to_string()))?;
        let started = start(args, &server, objects, streams).await;
        if started.is_ok() {
            stop.wait().await;
        }
        server.stop().await;
        started
    })
}

/// What is to be done before the server is announced, and its announcement.
async fn start(
    args: &Args,
    server: &ApiServer,
    objects: Objects,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let mut count = 0;
    if !objects.documents.is_empty() {
        let client = Client::new(Config::from_kubeconfig_text(&server.kubeconfig())?)?;
        count += apply::<PriorityLevelConfiguration>(&client, &objects.levels).await?;
        count += apply::<FlowSchema>(&client, &objects.flow_schemas).await?;
    }
    if let Some(file) = &args.kubeconfig {
        kubeconfig::write(file, &server.kubeconfig())?;
    }
    writeln!(streams.out, "{}", server.url())?;
    streams.out.flush()?;
    writeln!(
        streams.err,
        "like Kubernetes {}, {} applied; Ctrl-C stops it",
        args.release,
        plural(count, "object")
    )?;
    if let Some(file) = &args.kubeconfig {
        writeln!(streams.err, "kubeconfig: {}", file.display())?;
    }
    Ok(Exit::Success)
}

/// Applies the last object of each name, and says how many these are.
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
        // What an export says of the cluster it comes from is nothing to this one.
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

/// The wish that the server stops: Ctrl-C, or the signal that asks a process to end.
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
            signal(kind).map_err(|error| Failure::input(format!("Ctrl-C cannot be heard: {error}")))
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
        // Where it cannot be heard the process ends by itself.
        let _heard = tokio::signal::ctrl_c().await;
    }
}
