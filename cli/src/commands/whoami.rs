//! `whoami`: the flow schema and priority level of the user's own requests.

use crate::cluster::{ClusterArgs, Live, all_objects, block_on, own_user};
use crate::command::{
    BOTH, Command, Declared, Group, Needs, RELEASE, SELF_REVIEW, SERVED, on, role_hint,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, hint, warn, write_report};
use clap::ValueEnum;
use k8s_flowcontrol::rules::matching::User;
use k8s_flowcontrol::{Client, GROUP};
use k8s_flowcontrol_analysis::dumps::{FlowName, FlowNames};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::Write;

/// Show which flow schema and priority level your requests get in a cluster
///
/// Prints the user and the groups, on servers that tell them (since 1.28), then sends requests and reads the classification from the headers of the responses. Different requests of one user can get different
/// levels.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The paths to request with GET; defaults to /version and a list of flow schemas
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol whoami

  # Classify a list of pods by another user
  kubectl flowcontrol whoami /api/v1/namespaces/team-a/pods --context team-a-controller";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    /// {"schemaVersion": 1, "user", "groups", "requests": [{"path", "code", "flowSchema", "priorityLevel", "flowSchemaUID",
    /// "priorityLevelUID"}]}; null for unknown values
    Json,
}

/// The classification of a request.
struct Answer {
    path: String,
    code: Option<u16>,
    schema_uid: Option<String>,
    level_uid: Option<String>,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "whoami";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 8;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["list"]), SELF_REVIEW]);
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "no response names a flow schema")];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        block_on(async {
            let client = self.cluster.client().await?;
            let mut paths = self.paths.clone();
            if paths.is_empty() {
                let live = Live::connect(client.clone(), None).await?;
                let schemas = format!("/apis/{GROUP}/{}/flowschemas?limit=1", live.version);
                paths = vec!["/version".to_owned(), schemas];
            }
            let mut answers = Vec::new();
            for path in paths {
                answers.push(ask(&client, path).await?);
            }
            let names = match names(&client).await {
                Ok(names) => names,
                Err(error) => {
                    warn(&format!("cannot resolve UIDs to names: {error}"))?;
                    if error.is_forbidden() {
                        hint(streams, &role_hint(Self::NAME))?;
                    }
                    FlowNames::default()
                }
            };
            let user = own_user(&client).await;
            print(self.output, user.as_ref(), &answers, &names, streams)?;
            let is_classified = answers.iter().any(|answer| answer.schema_uid.is_some());
            Ok(Exit::of_findings(!is_classified))
        })
    }
}

/// Sends a request. Error responses contain the classification, too.
async fn ask(client: &Client, path: String) -> Result<Answer, Failure> {
    let request = client.get_raw(&ended(&path));
    let (code, schema, level) = match request.send().await {
        Ok(answer) => (
            Some(answer.code()),
            answer.flow_schema_uid().map(str::to_owned),
            answer.priority_level_uid().map(str::to_owned),
        ),
        Err(error) if error.code().is_some() => (
            error.code(),
            error.flow_schema_uid().map(str::to_owned),
            error.priority_level_uid().map(str::to_owned),
        ),
        Err(error) => return Err(error.into()),
    };
    Ok(Answer {
        path,
        code,
        schema_uid: schema,
        level_uid: level,
    })
}

/// The path, for a watch with an end: the classification is in the headers, and the events are not read.
fn ended(path: &str) -> Cow<'_, str> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let has = |name: &str| {
        let mut names = query.split('&').map(|pair| pair.split('=').next());
        names.any(|known| known == Some(name))
    };
    let is_watch = has("watch") || path.contains("/watch/");
    match is_watch && !has("timeoutSeconds") {
        true if query.is_empty() => {
            format!("{}?timeoutSeconds=1", path.trim_end_matches('?')).into()
        }
        true => format!("{path}&timeoutSeconds=1").into(),
        false => path.into(),
    }
}

async fn names(client: &Client) -> Result<FlowNames, k8s_flowcontrol::Error> {
    let (schemas, levels) = all_objects(client).await?;
    Ok(FlowNames::new(&schemas, &levels))
}

impl Answer {
    fn resolve<'a>(&'a self, names: &'a FlowNames) -> Option<(FlowName<'a>, FlowName<'a>)> {
        let (schema, level) = (self.schema_uid.as_deref()?, self.level_uid.as_deref()?);
        Some(names.resolve(schema, level))
    }
}

fn print(
    output: Output,
    user: Option<&User>,
    answers: &[Answer],
    names: &FlowNames,
    streams: &mut Streams,
) -> Result<(), Failure> {
    if output == Output::Json {
        let name = |name: Option<FlowName<'_>>| {
            name.and_then(FlowName::name)
                .map_or(Value::Null, Value::from)
        };
        let request = |answer: &Answer| {
            let resolved = answer.resolve(names);
            json!({
                "path": answer.path,
                "code": answer.code,
                "flowSchema": name(resolved.map(|(schema, _)| schema)),
                "priorityLevel": name(resolved.map(|(_, level)| level)),
                "flowSchemaUID": answer.schema_uid,
                "priorityLevelUID": answer.level_uid,
            })
        };
        let requests: Vec<_> = answers.iter().map(request).collect();
        write_report(
            &mut streams.out,
            json!({"user": user.map(|user| &user.name), "groups": user.map(|user| &user.groups), "requests": requests}),
        )?;
        return Ok(());
    }
    if let Some(user) = user {
        writeln!(streams.out, "user:    {}", user.name)?;
        writeln!(streams.out, "groups:  {}\n", user.groups.join(", "))?;
    }
    let mut table = Table::new(["REQUEST", "CODE", "FLOWSCHEMA", "PRIORITYLEVEL"]);
    for answer in answers {
        let code = answer
            .code
            .map_or_else(String::new, |code| code.to_string());
        let (schema, level) = match answer.resolve(names) {
            Some((schema, level)) => (shown(schema), shown(level)),
            None => ("<not classified>".to_owned(), "<not classified>".to_owned()),
        };
        table.row([format!("GET {}", answer.path), code, schema, level]);
    }
    table.write(&mut streams.out)?;
    Ok(())
}

fn shown(name: FlowName<'_>) -> String {
    match name {
        FlowName::Known(name) => name.to_owned(),
        FlowName::Unknown(uid) => format!("<UID {uid}>"),
        // The server uses a mandatory object even if it does not exist.
        _ => "<mandatory object, missing>".to_owned(),
    }
}
