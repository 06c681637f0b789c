//! `serve --torture`: the server, or a real one, behind a server that tortures clients.

use super::Args;
use crate::failure::Failure;
use crate::number::number;
use crate::output::{Streams, write_report};
use clap::ValueEnum;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Mode, StartError, Torture, TortureServer, Upstream};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The options of the torture.
#[derive(Debug, clap::Args)]
pub(super) struct TortureArgs {
    /// Trouble clients in these modes, separated by commas, to test how they react; `all` for all. When the server stops, it prints what
    /// the clients did and which rules they broke. The modes are compressed-watches, bookmarks, watch-lists, resets, goaway, expired-pages,
    /// throttling, slow, rolling-upgrade, stale-reads, clock-skew, certificates, tokens, header-case and protocols; certificates,
    /// tokens and protocols need `--tls`
    #[arg(long, value_name = "MODES", value_parser = modes)]
    torture: Option<Modes>,

    /// The seed of the decisions of `--torture`
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "torture", value_parser = number::<u64>(0..))]
    seed: u64,

    /// With `--torture`, forward requests to the cluster of this kubeconfig file, with its credentials, instead of a local server. Everyone who may use the
    /// local address then has the rights of these credentials
    #[arg(
        long,
        value_name = "KUBECONFIG",
        requires = "torture",
        conflicts_with_all = ["release", "all_versions", "data_dir", "flow_control", "files"]
    )]
    pub(super) proxy_to: Option<PathBuf>,

    /// The format of the report of `--torture`, which follows the line with the address on the standard output
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        requires = "torture"
    )]
    output: ReportForm,
}

#[derive(Clone, Debug)]
struct Modes(Vec<Mode>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportForm {
    Text,
    Json,
}

fn modes(text: &str) -> Result<Modes, String> {
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let mut modes = Vec::new();
    for name in names {
        match name {
            "all" => modes.extend(Mode::ALL),
            name => modes.push(name.parse().map_err(|error| format!("{error}"))?),
        }
    }
    Ok(Modes(modes))
}

/// The server behind.
pub(super) enum Behind {
    Embedded(ApiServer),
    Cluster,
}

impl TortureArgs {
    pub(super) fn is_set(&self) -> bool {
        self.torture.is_some()
    }

    /// Starts the torture in front of the embedded server, or of the cluster.
    pub(super) async fn start(
        &self,
        args: &Args,
        tokens: Option<&str>,
        behind: &Behind,
    ) -> Result<Option<TortureServer>, Failure> {
        let Some(Modes(modes)) = &self.torture else {
            return Ok(None);
        };
        let has_tls = args.tls || tokens.is_some();
        if let Some(mode) = modes.iter().find(|mode| mode.needs_tls() && !has_tls) {
            return Err(Failure::usage(format!("the mode {mode} needs TLS"))
                .hint("add `--tls`, or name other modes"));
        }
        let upstream = match (behind, &self.proxy_to) {
            (Behind::Embedded(server), _) => server.upstream(),
            (Behind::Cluster, file) => cluster(file.as_deref().unwrap_or(Path::new("")))?,
        };
        let mut torture = Torture::new(modes.iter().copied())
            .seed(self.seed)
            .address(args.address)
            .port(args.port)
            .token_file(self.token_file(args));
        if has_tls {
            torture = torture.tls();
        }
        if args.unprotected {
            torture = torture.unprotected();
        }
        if let Some(tokens) = tokens {
            torture = torture.tokens(tokens);
        }
        torture
            .start(upstream)
            .await
            .map(Some)
            .map_err(|error| start_failure(&error, args.tokens.as_deref()))
    }

    /// Beside the kubeconfig, which names it.
    fn token_file(&self, args: &Args) -> PathBuf {
        match &args.write_kubeconfig {
            Some(file) => {
                let mut name = file.file_name().unwrap_or_default().to_owned();
                name.push(".token");
                let file = file.with_file_name(name);
                std::path::absolute(&file).unwrap_or(file)
            }
            None => {
                let name = format!("kubectl-flowcontrol-{}.token", std::process::id());
                std::env::temp_dir().join(name)
            }
        }
    }

    /// Prints what the clients did.
    pub(super) fn report(
        &self,
        torture: &TortureServer,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let report = torture.report();
        match self.output {
            ReportForm::Text => write!(streams.out, "{report}")?,
            ReportForm::Json => {
                write_report(
                    &mut streams.out,
                    serde_json::to_value(report).unwrap_or_default(),
                )?;
            }
        }
        Ok(streams.out.flush()?)
    }
}

fn cluster(kubeconfig: &Path) -> Result<Upstream, Failure> {
    let config = Config::builder().file(kubeconfig).build();
    let client = Client::new(config.map_err(|error| Failure::input(error.to_string()))?)?;
    Ok(Upstream::new(move |request| {
        let client = client.clone();
        async move { client.forward(request).await.map_err(io::Error::other) }
    }))
}

pub(super) fn start_failure(error: &StartError, tokens: Option<&Path>) -> Failure {
    let failure = Failure::of_start(error, tokens);
    match error.is_unprotected() {
        true => failure.hint("add `--tokens`, or `--unprotected` if everyone may reach the server"),
        false => failure,
    }
}
