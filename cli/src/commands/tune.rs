//! `tune`: changing the shares of a priority level.

use crate::cluster::block_on;
use crate::cluster::{
    Deed, Live, LiveArgs, Target, TargetArgs, WriteArgs, dropped_message, is_built_in, name, owner,
    shares, stanza,
};
use crate::command::{Command, Declared, Group, LEVELS, LOSS, Needs, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::number::number;
use crate::output::{OutputArg, Streams};
use k8s_flowcontrol::rules::bootstrap::AUTO_UPDATE_ANNOTATION;
use k8s_flowcontrol::rules::dropped_fields;
use k8s_flowcontrol::rules::objects::{CATCH_ALL, EXEMPT};
use k8s_flowcontrol::{ApiVersion, Kind};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::str::FromStr;

/// Change the shares, lending and borrowing of a priority level
///
/// No other field changes. A level that the API server keeps at its built-in values is written only with `--include-managed`. Then
/// its annotation apf.kubernetes.io/autoupdate-spec becomes "false", because the server would revert the change; `reset` gives
/// the level back to the server. The level catch-all cannot be changed, and of the level exempt only its shares and lending, which the API server
/// keeps.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The priority level, as NAME or plc/NAME
    #[arg(value_name = "LEVEL")]
    level: String,

    /// The shares; each server divides its seats among the levels in proportion to their shares
    #[arg(value_name = "SHARES", required_unless_present_any = ["lendable_percent", "borrowing_limit_percent"], value_parser = parse_shares)]
    shares: Option<u32>,

    /// The percentage of its seats that other levels may borrow, 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = number::<u8>(0..=100))]
    lendable_percent: Option<u8>,

    /// The maximum that it may borrow, in percent of its nominal limit, or none for no maximum
    #[arg(long, value_name = "PERCENT")]
    borrowing_limit_percent: Option<Borrowing>,

    #[command(flatten)]
    output: OutputArg,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Change the shares, after a dry run
  kubectl flowcontrol tune batch 50 --dry-run
  kubectl flowcontrol tune batch 50

  # Lend all seats, and borrow at most half as many
  kubectl flowcontrol tune batch --lendable-percent 100 --borrowing-limit-percent 50

`kubectl flowcontrol seats --live` shows the effect on every priority level.";

/// A limit on borrowing, or none.
#[derive(Clone, Copy, Debug)]
struct Borrowing(Option<u32>);

impl FromStr for Borrowing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self(None)),
            text => match text.parse() {
                Ok(percent) if percent <= i32::MAX as u32 => Ok(Self(Some(percent))),
                _ => Err("expected a percentage from 0 to 2147483647, or none".into()),
            },
        }
    }
}

/// Shares without a sign: `+5` could also mean five more.
fn parse_shares(text: &str) -> Result<u32, String> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let shares = text
        .parse()
        .ok()
        .filter(|shares| *shares <= i32::MAX as u32);
    shares
        .filter(|_| is_number)
        .ok_or_else(|| format!("shares must be between 0 and 2147483647, not {text}"))
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "tune";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 6;
    const ALIASES: &'static [&'static str] = &["set-shares"];
    const NEEDS: Needs = Needs::new(&[SERVED], &[on(LEVELS, &["get", "list", "patch"])]);
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "a managed object was not changed"), LOSS];
    const INSTEAD: Option<(&'static str, &'static str)> = Some((
        "<SHARES>",
        "'--lendable-percent <PERCENT>' and '--borrowing-limit-percent <PERCENT>' work without shares",
    ));

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let target = Target::level(&self.level)?;
        let kind = target.kind;
        block_on(async {
            let live = self.live.connect().await?;
            let found = TargetArgs::of(&target).find(&live).await?;
            let before = found.into_iter().next();
            let before = before.map(|(_, object)| object).unwrap_or_default();
            let level = name(&before);
            if level == CATCH_ALL {
                return Err(fixed());
            }
            self.write.check_owner(Deed::TakeOver, kind, &before)?;
            let patch = patch(self, &live, &before)?;
            let after = match self.write.is_client_dry_run() {
                true => merged(&before, &patch),
                false => live.patch(kind, level, &patch, &self.write).await?,
            };
            let lost = dropped_fields(&patch["spec"], &after["spec"], "spec");
            if let Some(form) = &self.output.output {
                let mut objects = [(kind, after.clone())];
                self.output.prepare(&mut objects);
                form.write_each(&objects, streams)?;
            } else {
                print(level, &before, &after, self.write.note(), streams)?;
            }
            let is_taken_over =
                after["metadata"]["annotations"] != before["metadata"]["annotations"];
            if is_taken_over && is_built_in(kind, level) && !self.write.is_dry_run() {
                streams.out.flush()?;
                writeln!(
                    streams.err,
                    "the API server no longer updates the level; `kubectl flowcontrol reset plc/{level}` gives it back to the server"
                )?;
            }
            self.write.warn_of_owner(kind, &after, streams)?;
            if !lost.is_empty() {
                streams.out.flush()?;
                return Err(Failure::new(
                    Exit::Loss,
                    format!("{level}: {}", dropped_message(&lost, live.version)),
                ));
            }
            Ok(Exit::Success)
        })
    }
}

/// The error about the level that no server lets anybody change.
fn fixed() -> Failure {
    let message = format!(
        "PriorityLevelConfiguration \"{CATCH_ALL}\" cannot be changed: every API server keeps its spec at a fixed value"
    );
    Failure::new(Exit::Findings, message).hint(
        "create another priority level for its requests: `kubectl flowcontrol create protect` prints the objects",
    )
}

/// Prints the changed fields.
fn print(
    level: &str,
    before: &Value,
    after: &Value,
    note: &str,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let part = format!("/spec/{}", stanza(&before["spec"]));
    let annotation = AUTO_UPDATE_ANNOTATION.replace('/', "~1");
    let spec = |field: &str| (field.to_owned(), format!("{part}/{field}"));
    let fields = [
        spec("nominalConcurrencyShares"),
        spec("assuredConcurrencyShares"),
        spec("lendablePercent"),
        spec("borrowingLimitPercent"),
        (
            AUTO_UPDATE_ANNOTATION.to_owned(),
            format!("/metadata/annotations/{annotation}"),
        ),
    ];
    let mut is_changed = false;
    for (field, path) in fields {
        let (old, new) = (before.pointer(&path), after.pointer(&path));
        if old != new {
            is_changed = true;
            let (old, new) = (shown(old), shown(new));
            writeln!(streams.out, "{level}: {field}: {old} -> {new}{note}")?;
        }
    }
    if !is_changed {
        writeln!(streams.out, "{level}: unchanged{note}")?;
    }
    Ok(())
}

/// The object after a merge patch.
fn merged(object: &Value, patch: &Value) -> Value {
    let (Value::Object(fields), Value::Object(changes)) = (object, patch) else {
        return patch.clone();
    };
    let mut fields = fields.clone();
    for (name, change) in changes {
        match change {
            Value::Null => drop(fields.remove(name)),
            change => {
                let merged = merged(fields.get(name).unwrap_or(&Value::Null), change);
                fields.insert(name.clone(), merged);
            }
        }
    }
    Value::Object(fields)
}

fn patch(args: &Args, live: &Live, before: &Value) -> Result<Value, Failure> {
    let spec = &before["spec"];
    let mut part = Map::new();
    if let Some(wanted) = args.shares {
        let field = match live.version {
            ApiVersion::V1Beta1 | ApiVersion::V1Beta2 if stanza(spec) == "limited" => {
                "assuredConcurrencyShares"
            }
            _ => "nominalConcurrencyShares",
        };
        if wanted == 0
            && shares(spec) != Some(0)
            && live.version != ApiVersion::V1
            && stanza(spec) == "limited"
        {
            return Err(Failure::new(
                Exit::Loss,
                format!(
                    "a server reads zero shares in {} as the default: the level would get 30",
                    live.version
                ),
            )
            .hint("use v1, which Kubernetes 1.29 and later serve"));
        }
        part.insert(field.into(), wanted.into());
    }
    if let Some(percent) = args.lendable_percent {
        part.insert("lendablePercent".into(), percent.into());
    }
    if let Some(Borrowing(percent)) = args.borrowing_limit_percent {
        if stanza(spec) == "exempt" {
            return Err(Failure::usage(
                "an exempt level borrows without a limit: remove `--borrowing-limit-percent`",
            ));
        }
        part.insert("borrowingLimitPercent".into(), json!(percent));
    }
    let mut patch = json!({"spec": {stanza(spec): part}});
    // Of the level exempt a server keeps these settings, and the annotation.
    let is_updated = || {
        let owner = owner(Kind::PriorityLevelConfiguration, before);
        owner.is_some_and(|owner| owner.is_server())
    };
    if name(before) != EXEMPT && is_updated() {
        patch["metadata"] = json!({"annotations": {AUTO_UPDATE_ANNOTATION: "false"}});
    }
    Ok(patch)
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
