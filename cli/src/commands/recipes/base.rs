//! The configuration that a recipe is added to.

use crate::cluster::ClusterArgs;
use crate::documents::FileArgs;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::{ObjectFormat, Streams};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::{ApiVersion, Release, Resource};

/// The options of all recipes.
#[derive(Debug, clap::Args)]
pub(super) struct RecipeArgs {
    #[command(flatten)]
    files: FileArgs,

    /// Add to the objects of a cluster; without files and this option, to the built-in objects
    #[arg(long, conflicts_with = "files")]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    /// The seats of each server: --max-requests-inflight plus --max-mutating-requests-inflight
    #[arg(long, value_name = "SEATS", default_value_t = 600)]
    server_seats: u32,

    /// The API version of the printed objects
    #[arg(long, value_name = "VERSION", default_value = "v1")]
    to: ApiVersion,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

/// A configuration, and the server that has it.
pub(super) struct Base {
    pub(super) flow_schemas: Vec<FlowSchema>,
    pub(super) levels: Vec<PriorityLevelConfiguration>,
    pub(super) release: Release,
    pub(super) server_seats: u32,
    pub(super) to: ApiVersion,
    pub(super) output: ObjectFormat,
}

impl Base {
    pub(super) fn read(args: &RecipeArgs, streams: &mut Streams) -> Result<Self, Failure> {
        let mut objects = match (args.live, args.files.is_empty()) {
            (true, _) => Objects::live(&args.cluster)?,
            (false, true) => Objects::default(),
            (false, false) => Objects::read(&args.files, args.kubernetes.release(), streams)?,
        };
        let release = args.kubernetes.release_or(objects.live);
        if !args.live && args.files.is_empty() {
            objects.add_bootstrap(release);
        }
        Ok(Self {
            flow_schemas: objects.flow_schemas,
            levels: objects.levels,
            release,
            server_seats: args.server_seats,
            to: args.to,
            output: args.output,
        })
    }

    pub(super) fn limits(&self) -> ServerLimits {
        ServerLimits::new(&self.levels, self.server_seats, self.release)
    }

    pub(super) fn classifier(&self) -> Classifier {
        Classifier::new(&self.flow_schemas, &self.levels, self.release)
    }

    /// The precedence directly before the flow schema that takes ordinary requests of a user.
    pub(super) fn precedence_before(&self, user: &str) -> Result<i32, Failure> {
        let request = RequestAttributes {
            user: User::named(user),
            verb: "list".into(),
            is_resource_request: true,
            resource: "pods".into(),
            namespace: "default".into(),
            ..RequestAttributes::default()
        };
        let classifier = self.classifier();
        let Some(taken) = classifier.classify(&request) else {
            return Ok(1000);
        };
        if taken.priority_level == "exempt" {
            return Err(Failure::input(format!(
                "flow control does not limit {user}: the flow schema {} exempts it",
                taken.flow_schema
            )));
        }
        let schema = self
            .flow_schemas
            .iter()
            .find(|schema| schema.name() == taken.flow_schema);
        let precedence = schema.map_or(10_000, |schema| {
            schema.spec.matching_precedence.unwrap_or(1000)
        });
        match precedence {
            ..=1 => Err(Failure::input(format!(
                "the flow schema {} has the lowest possible precedence",
                taken.flow_schema
            ))),
            precedence => Ok(precedence - 1),
        }
    }
}
