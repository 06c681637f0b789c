//! The configuration that a recipe is added to.

use crate::cluster::{SeatsArg, ServerSeats};
use crate::configuration::ConfigurationArgs;
use crate::failure::Failure;
use crate::kubernetes_arg::served_version;
use crate::output::{ObjectFormat, Streams};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_analysis::recipes::Recipes;

/// The options of all recipes.
#[derive(Debug, clap::Args)]
pub(super) struct RecipeArgs {
    #[command(flatten)]
    configuration: ConfigurationArgs,

    #[command(flatten)]
    seats: SeatsArg,

    /// The API version of the printed objects; defaults to the newest version that the release serves
    #[arg(long, value_name = "VERSION")]
    to_version: Option<ApiVersion>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

/// A configuration, and the server that has it.
pub(super) struct Base {
    pub(super) flow_schemas: Vec<FlowSchema>,
    pub(super) levels: Vec<PriorityLevelConfiguration>,
    pub(super) release: Release,
    pub(super) seats: ServerSeats,
    pub(super) to: ApiVersion,
    pub(super) output: ObjectFormat,
}

impl Base {
    /// Reads the files or the cluster; without either the configuration is the built-in objects. A recipe that does not add a level
    /// does not change seats, so it does not need permission to read their number.
    pub(super) fn read(
        args: &RecipeArgs,
        adds_level: bool,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let configuration = args.configuration.read(streams)?;
        let to = served_version(args.to_version, configuration.release)?;
        Ok(Self {
            seats: match adds_level {
                true => configuration.seats(args.seats)?,
                false => args.seats.offline(),
            },
            flow_schemas: configuration.objects.flow_schemas,
            levels: configuration.objects.levels,
            release: configuration.release,
            to,
            output: args.output,
        })
    }

    pub(super) fn limits(&self) -> ServerLimits {
        ServerLimits::new(&self.levels, self.seats.seats, self.release)
    }

    pub(super) fn recipes(&self) -> Recipes {
        Recipes::new(
            &self.flow_schemas,
            &self.levels,
            self.seats.seats,
            self.release,
        )
    }
}
