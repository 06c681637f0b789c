//! `convert`: objects in another API version.

use crate::command::{Command, Declared, Group, LOSS};
use crate::documents::{Document, ExportArgs, FileArgs, Skipped, documents};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::served_version;
use crate::output::{Diagnostic, ObjectFormat, Streams, plural, write_objects};
use k8s_flowcontrol::convert::{Loss, Lossy, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::conversion::server_tree;
use k8s_flowcontrol::rules::wire::canonical;
use k8s_flowcontrol::{ApiVersion, Kind, Release};
use k8s_flowcontrol_manifests::{foreign_shares, strip_server_fields};
use serde_json::{Value, json};
use std::io::Write;

/// Convert objects to another API version and print them
///
/// Fields are renamed where the versions differ, and absent fields stay absent. Unknown fields are kept, with a warning. With `--as-server` the objects are printed as
/// a server returns them: with defaults, and without unknown fields.
///
/// A field that the other version cannot represent is an error, unless `--allow-loss` is given, and so are shares under the field name of
/// another version, which servers ignore. Comments and the order of
/// fields are not kept; `migrate` keeps them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    export: ExportArgs,

    /// The API version to convert to: v1, v1beta3, v1beta2 or v1beta1
    #[arg(long, alias = "to", value_name = "VERSION", default_value = "v1")]
    to_version: ApiVersion,

    /// Print the objects as a server returns them, even with losses, which are reported
    #[arg(long)]
    as_server: bool,

    /// The Kubernetes release that will read the objects, such as 1.29; defaults to the newest release, or with `--as-server`
    /// to the newest release that serves the version
    #[arg(long = "kubernetes", value_name = "RELEASE")]
    release: Option<Release>,

    /// Print objects even if fields are lost, with a warning
    #[arg(long)]
    allow_loss: bool,

    /// The output format; several objects become several YAML documents, or one JSON List
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

const EXAMPLES: &str = "\
Examples:
  # Convert a manifest of Kubernetes 1.25 to v1
  kubectl flowcontrol convert -f old.yaml --to-version v1

  # Show the object that a 1.29 server returns
  kubectl flowcontrol convert -f old.yaml --to-version v1 --as-server --kubernetes 1.29 -o json

  # Export objects, to apply them to another cluster
  kubectl get flowschemas,prioritylevelconfigurations -o yaml |
    kubectl flowcontrol convert -f - --to-version v1beta3 --strip-server-fields";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "convert";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 4;
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "an object is invalid"), LOSS];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let release = release(self)?;
        let mut skipped = Skipped::default();
        let mut converted = Vec::new();
        let mut losses = Vec::new();
        let mut broken = Vec::new();
        for source in self.files.sources()? {
            let found = documents(source?);
            skipped.add(&found, streams)?;
            for document in &found.documents {
                match convert(self, document, release, streams) {
                    Ok(Converted {
                        value,
                        losses: lost,
                        foreign,
                    }) => {
                        let lost = lost.iter().map(|loss| (loss, "loss"));
                        let lost = lost.chain(foreign.iter().map(|loss| (loss, "foreign-field")));
                        losses.extend(lost.map(|(loss, id)| diagnose(self, document, loss, id)));
                        converted.push(value);
                    }
                    Err(failure) => broken.extend(failure.into_diagnostics()),
                }
            }
        }
        if !broken.is_empty() {
            let count = plural(broken.len(), "object");
            return Err(Failure::input(format!("cannot read {count}")).because(broken));
        }
        if converted.is_empty() {
            skipped.summarize(streams)?;
            return Err(Failure::no_objects(&self.files));
        }
        let is_refused = !losses.is_empty() && !self.allow_loss;
        if !is_refused || self.as_server {
            write_objects(self.output, &converted, streams)?;
        }
        streams.out.flush()?;
        skipped.summarize(streams)?;
        if is_refused {
            let count = plural(losses.len(), "loss");
            let failure = Failure::new(
                Exit::Loss,
                format!("{count} in the conversion to {}", self.to_version),
            );
            return Err(failure.because(losses));
        }
        for loss in losses {
            loss.write(&mut streams.err)?;
        }
        Ok(Exit::Success)
    }
}

/// The release to convert for. A release named by the user must serve the target version.
fn release(args: &Args) -> Result<Release, Failure> {
    let serves = |release: &Release| args.to_version.is_served_by(*release);
    match args.release {
        Some(release) => served_version(Some(args.to_version), release).map(|_| release),
        None if args.as_server => Ok(Release::all().filter(serves).last().unwrap_or_default()),
        None => Ok(Release::NEWEST),
    }
}

/// An object in the other version.
struct Converted {
    value: Value,
    losses: Vec<Loss>,
    /// The shares under the field name of another version, which have no effect.
    foreign: Option<Loss>,
}

fn convert(
    args: &Args,
    document: &Document,
    release: Release,
    streams: &mut Streams,
) -> Result<Converted, Failure> {
    let object = document.object(release)?;
    let kind = VersionedKind::new(object.kind, object.version, release);
    let mut foreign = None;
    let (mut value, losses) = if args.as_server {
        let (value, losses) = Lossy::parts(server_tree(object.written(), kind, args.to_version));
        (as_written(&value, object.kind, args.to_version), losses)
    } else {
        let mut value = object.written();
        let ignored = foreign_shares(&mut value, kind);
        let (mut value, losses) = Lossy::parts(shape_tree(value, kind, args.to_version));
        // Where the other version has the field, a loss tells its effect there.
        let is_new = |ignored: &Loss| losses.iter().all(|loss| loss.path != ignored.path);
        foreign = ignored.filter(is_new);
        if let Some(foreign) = &foreign {
            drop_shares(&mut value, &foreign.path);
        }
        let reported = losses.iter().chain(&foreign);
        let reported: Vec<_> = reported.map(|loss| &*loss.path).collect();
        object.warn_except(&reported, streams)?;
        (value, losses)
    };
    value["apiVersion"] = args.to_version.api_version().into();
    value["kind"] = object.kind.as_str().into();
    if args.export.strip_server_fields {
        strip_server_fields(&mut value);
    }
    Ok(Converted {
        value,
        losses,
        foreign,
    })
}

fn drop_shares(level: &mut Value, path: &str) {
    let name = path.rsplit('.').next().unwrap_or_default();
    if let Some(limited) = level.pointer_mut("/spec/limited")
        && let Some(limited) = limited.as_object_mut()
    {
        limited.remove(name);
    }
}

/// The object with the fields that a server writes, except fields that are meaningless outside a cluster.
fn as_written(object: &Value, kind: Kind, version: ApiVersion) -> Value {
    let mut written = canonical(object, kind.schema(version).schema);
    if written["metadata"]["creationTimestamp"].is_null()
        && let Some(metadata) = written.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.remove("creationTimestamp");
    }
    if let Some(fields) = written.as_object_mut()
        && fields
            .get("status")
            .is_some_and(|status| *status == json!({}))
    {
        fields.remove("status");
    }
    written
}

fn diagnose(args: &Args, document: &Document, loss: &Loss, id: &'static str) -> Diagnostic {
    let message = format!("{}: {}: {}", document.title(), loss.path, loss.why);
    let diagnostic = match args.allow_loss {
        true => Diagnostic::warning(message),
        false => Diagnostic::error(message).help(
            "change the field, choose a version that has it, or accept the loss with `--allow-loss`",
        ),
    };
    diagnostic
        .id(id)
        .at(&document.source, document.locate(&loss.path))
}
