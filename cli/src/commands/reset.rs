//! `reset`: giving built-in objects back to the API server.

use crate::cluster::block_on;
use crate::cluster::{Deed, LiveArgs, TargetArgs, WriteArgs, name, owner, title};
use crate::command::{BOTH, Command, Declared, Group, Needs, RELEASE, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::rules::bootstrap;
use k8s_flowcontrol::rules::bootstrap::AUTO_UPDATE_ANNOTATION;
use serde_json::json;
use std::io::Write;

/// Give built-in objects back to the API server, which resets them to their built-in values
///
/// Sets the annotation apf.kubernetes.io/autoupdate-spec to "true". The API server then resets the spec within a minute, and again
/// after every change and upgrade. `tune`, and an edit that sets the annotation to "false", end this maintenance. Of the level exempt the API
/// server keeps the shares and the lending.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Give up the changes of a built-in level
  kubectl flowcontrol reset plc/workload-low";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "reset";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 7;
    const ALIASES: &'static [&'static str] = &["restore"];
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["get", "list", "patch"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[(
        Exit::Findings,
        "an object is not built in, or a managed object was not changed",
    )];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        if !self.target.has_names()? && self.target.selector().is_none() {
            return Err(Failure::usage("no objects to reset").hint(
                "name built-in objects as KIND/NAME, such as plc/workload-low, or select them with `KIND -l SELECTOR`",
            ));
        }
        block_on(async {
            let live = self.live.connect().await?;
            let release = live.release().await?;
            let (objects, unfound) = self.target.find_each(&live).await?;
            let mut failures: Vec<_> = unfound.into_iter().map(|unfound| unfound.failure).collect();
            let (mut is_restored, mut keeps_exempt) = (false, false);
            if objects.is_empty() && failures.is_empty() {
                writeln!(streams.err, "no objects found")?;
            }
            for (kind, object) in &objects {
                let name = name(object);
                if !bootstrap::is_built_in(*kind, name, release) {
                    let message = format!(
                        "{kind} \"{name}\" is not a built-in object of Kubernetes {release}"
                    );
                    failures.push(
                        Failure::new(Exit::Findings, message)
                            .hint("the API server would delete it if it had the annotation"),
                    );
                    continue;
                }
                // `--include-managed` is about the others: the API server gets the object back.
                if !owner(*kind, object).is_some_and(|owner| owner.is_server())
                    && let Err(failure) = self.write.check_owner(Deed::Change, *kind, object)
                {
                    failures.push(failure);
                    continue;
                }
                let exempt = &object["spec"]["exempt"];
                let settings = ["nominalConcurrencyShares", "lendablePercent"];
                keeps_exempt |= settings
                    .iter()
                    .any(|field| exempt[*field].as_i64() > Some(0));
                let title = title(*kind, name);
                let note = self.write.note();
                if object["metadata"]["annotations"][AUTO_UPDATE_ANNOTATION] == "true" {
                    writeln!(streams.out, "{title} unchanged{note}")?;
                    continue;
                }
                let patch = json!({"metadata": {"annotations": {AUTO_UPDATE_ANNOTATION: "true"}}});
                if !self.write.is_client_dry_run()
                    && let Err(error) = live.patch(*kind, name, &patch, &self.write).await
                {
                    failures.push(error.into());
                    continue;
                }
                is_restored |= !exempt.is_object();
                writeln!(streams.out, "{title} restored{note}")?;
            }
            streams.out.flush()?;
            let exit = Failure::report_all(failures, streams);
            if keeps_exempt {
                writeln!(
                    streams.err,
                    "the API server keeps the shares and the lending of the level exempt: `kubectl flowcontrol tune exempt 0 --lendable-percent 0 --include-managed` resets them"
                )?;
            }
            if is_restored && exit == Exit::Success && !self.write.is_dry_run() {
                writeln!(
                    streams.err,
                    "the API server resets the spec within a minute"
                )?;
            }
            Ok(exit)
        })
    }
}
