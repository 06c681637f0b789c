//! Objects for common needs, with a proof of their effect: seats for a client, a limit for a client, exempt health checks.
//!
//! ```
//! use k8s_flowcontrol_analysis::recipes::{Client, Recipes};
//! use k8s_flowcontrol_types::{Release, Resource};
//!
//! let recipes = Recipes::built_in(600, Release::NEWEST);
//! let scanner = Client::User { name: "scanner".into(), groups: Some(vec!["tools".into()]) };
//! let recipe = recipes.isolate(&scanner, 5)?;
//! assert_eq!(recipe.flow_schema.name(), "isolate-scanner");
//! for request in &recipe.proof {
//!     println!("{}: {:?} instead of {:?}", request.title, request.after, request.before);
//! }
//! # Ok::<(), k8s_flowcontrol_analysis::recipes::RecipeError>(())
//! ```

mod client;
mod error;
mod proof;
mod shares;

pub use client::Client;
pub use error::RecipeError;
pub use proof::{ProvenRequest, Taken, TakenByGroup};

use client::object_name;
use k8s_flowcontrol_rules::matching::{AUTHENTICATED, RequestAttributes, UNAUTHENTICATED, User};
use k8s_flowcontrol_rules::{bootstrap, validate};
use k8s_flowcontrol_types::api::v1::{
    FlowDistinguisherMethod, FlowDistinguisherMethodType, FlowSchema, GroupSubject, LimitResponse,
    LimitResponseType, LimitedPriorityLevelConfiguration, NonResourcePolicyRule,
    PolicyRulesWithSubjects, PriorityLevelConfiguration, PriorityLevelType, QueuingConfiguration,
    ResourcePolicyRule, Subject, SubjectKind, UserSubject,
};
use k8s_flowcontrol_types::{Fact, Release, Resource};
use proof::Sort;
use std::collections::BTreeSet;

/// A configuration, and the server that has it, for which recipes make objects.
#[derive(Clone, Debug)]
pub struct Recipes {
    flow_schemas: Vec<FlowSchema>,
    priority_levels: Vec<PriorityLevelConfiguration>,
    seats: u32,
    release: Release,
}

/// The objects of a recipe, in v1, and the proof of their effect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The priority level of the client, if the recipe has one.
    pub priority_level: Option<PriorityLevelConfiguration>,
    /// The flow schema.
    pub flow_schema: FlowSchema,
    /// The schemas and levels of several sorts of requests of a user, before and after; for health checks of everybody, a user without
    /// credentials and a user with them. Where groups are unknown, it holds for
    /// users of any groups except `system:masters`, whose requests stay exempt.
    pub proof: Vec<ProvenRequest>,
    /// The flow schemas with the objects of the recipe.
    pub flow_schemas: Vec<FlowSchema>,
    /// The priority levels with the objects of the recipe.
    pub priority_levels: Vec<PriorityLevelConfiguration>,
}

impl Recipes {
    /// A configuration on a server with `seats` seats in total. Mandatory objects that are missing count as built in.
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
        release: Release,
    ) -> Self {
        Self {
            flow_schemas: flow_schemas.to_vec(),
            priority_levels: priority_levels.to_vec(),
            seats,
            release,
        }
    }

    /// The configuration of a new cluster: the built-in objects of a release.
    pub fn built_in(seats: u32, release: Release) -> Self {
        Self {
            flow_schemas: bootstrap::flow_schemas(release),
            priority_levels: bootstrap::priority_levels(release),
            seats,
            release,
        }
    }

    /// Guarantees at least `seats` seats of each server to a client, through a dedicated level that does not lend seats.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn protect(&self, client: &Client, seats: i64) -> Result<Recipe, RecipeError> {
        if seats >= i64::from(self.seats) {
            return Err(RecipeError::TooManySeats {
                server: self.seats,
                wanted: seats,
            });
        }
        let mut level = own_level(&client.object_name("protect")?, client);
        let shares = self.shares_for_at_least(&level, seats)?;
        let limited = level.spec.limited.get_or_insert_default();
        limited.nominal_concurrency_shares = Some(shares);
        limited.lendable_percent = Some(0);
        self.own_level(level, client)
    }

    /// Limits a client to at most `seats` seats of each server, through a dedicated level that does not borrow seats.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn isolate(&self, client: &Client, seats: i64) -> Result<Recipe, RecipeError> {
        if seats >= i64::from(self.seats) {
            return Err(RecipeError::NoLimit {
                server: self.seats,
                wanted: seats,
            });
        }
        let mut level = own_level(&client.object_name("isolate")?, client);
        let shares = self.shares_for_at_most(&level, seats)?;
        let limited = level.spec.limited.get_or_insert_default();
        limited.nominal_concurrency_shares = Some(shares);
        // A level of an older release does not borrow, and has no such field.
        limited.borrowing_limit_percent = self.release.has(Fact::Lending).then_some(0);
        self.own_level(level, client)
    }

    /// Exempts GET requests of paths from flow control, for one user or for all users.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn exempt_probes(
        &self,
        user: Option<&str>,
        paths: &[String],
    ) -> Result<Recipe, RecipeError> {
        for path in paths {
            if path.contains('?') {
                return Err(RecipeError::Query { path: path.clone() });
            }
            // The validation rejects a malformed path.
            let request = RequestAttributes::from_http("GET", path, User::default());
            if request.is_ok_and(|request| request.is_resource_request) {
                return Err(RecipeError::ResourcePath { path: path.clone() });
            }
        }
        let subjects = match user {
            Some(user) => vec![Subject {
                kind: SubjectKind::User,
                user: Some(UserSubject {
                    name: user.to_owned(),
                    ..Default::default()
                }),
                ..Default::default()
            }],
            None => [AUTHENTICATED, UNAUTHENTICATED].map(of_group).into(),
        };
        let rule = PolicyRulesWithSubjects {
            subjects,
            non_resource_rules: vec![NonResourcePolicyRule {
                verbs: vec!["get".into()],
                non_resource_urls: paths.to_vec(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let name = match user {
            Some(user) => object_name("exempt-probes", user)?,
            None => "exempt-probes".to_owned(),
        };
        let schema = flow_schema(&name, "exempt", 3, rule);
        let clients = match user {
            Some(user) => vec![Client::User {
                name: user.to_owned(),
                groups: None,
            }],
            None => [UNAUTHENTICATED, AUTHENTICATED]
                .map(|group| Client::Group(group.to_owned()))
                .into(),
        };
        let sorts: Vec<Sort> = paths.iter().map(|path| ("GET", an_example(path))).collect();
        self.with(None, schema, &clients, &sorts)
    }

    /// A flow schema for all requests of a client, before every schema that can take one.
    pub(crate) fn own_level(
        &self,
        level: PriorityLevelConfiguration,
        client: &Client,
    ) -> Result<Recipe, RecipeError> {
        let all = || vec!["*".to_owned()];
        let rule = PolicyRulesWithSubjects {
            subjects: vec![client.subject()],
            resource_rules: vec![ResourcePolicyRule {
                verbs: vec!["*".into()],
                api_groups: all(),
                resources: all(),
                namespaces: all(),
                cluster_scope: Some(true),
                ..Default::default()
            }],
            non_resource_rules: vec![NonResourcePolicyRule {
                verbs: vec!["*".into()],
                non_resource_urls: all(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let name = level.name().to_owned();
        let precedence = self.precedence_before_all(client, &name)?;
        let mut schema = flow_schema(&name, &name, precedence, rule);
        if client.is_several() {
            schema.spec.distinguisher_method = Some(FlowDistinguisherMethod {
                r#type: FlowDistinguisherMethodType::ByUser,
                ..Default::default()
            });
        }
        self.with(
            Some(level),
            schema,
            std::slice::from_ref(client),
            &proof::sorts(),
        )
    }

    fn with(
        &self,
        level: Option<PriorityLevelConfiguration>,
        schema: FlowSchema,
        clients: &[Client],
        sorts: &[Sort],
    ) -> Result<Recipe, RecipeError> {
        let violations = validate::create_typed(&schema, self.release);
        let of_level = level
            .iter()
            .flat_map(|level| validate::create_typed(level, self.release));
        if let Some(violation) = violations.into_iter().chain(of_level).next() {
            return Err(RecipeError::Invalid(violation.to_string()));
        }
        let mut after = self.clone();
        after
            .flow_schemas
            .retain(|other| other.name() != schema.name());
        after.flow_schemas.push(schema.clone());
        if let Some(level) = &level {
            after
                .priority_levels
                .retain(|other| other.name() != level.name());
            after.priority_levels.push(level.clone());
        }
        let proofs = clients
            .iter()
            .flat_map(|client| self.prove(&after, client, sorts));
        let proof: Vec<_> = proofs.collect();
        let own = schema.name();
        if !proof.iter().any(|request| request.is_taken_by(own)) {
            let exempt: Option<BTreeSet<_>> = proof.iter().map(ProvenRequest::exempt).collect();
            return Err(match exempt {
                Some(schemas) => RecipeError::Exempt {
                    flow_schemas: schemas.into_iter().collect(),
                },
                None => RecipeError::NoEffect,
            });
        }
        Ok(Recipe {
            priority_level: level,
            flow_schema: schema,
            proof,
            flow_schemas: after.flow_schemas,
            priority_levels: after.priority_levels,
        })
    }
}

/// A path that an entry of a rule is for.
fn an_example(entry: &str) -> String {
    match entry {
        "*" => "/any".to_owned(),
        entry => match entry.strip_suffix('*') {
            Some(below) => format!("{below}any"),
            None => entry.to_owned(),
        },
    }
}

/// A level that queues: in one queue if there is one flow, in many if there are several.
pub(crate) fn own_level(name: &str, client: &Client) -> PriorityLevelConfiguration {
    let (queues, hand_size, queue_length_limit) = match client.is_several() {
        true => (64, 6, 50),
        false => (1, 1, 100),
    };
    let mut level = PriorityLevelConfiguration::default();
    level.metadata.name = Some(name.to_owned());
    level.spec.r#type = PriorityLevelType::Limited;
    level.spec.limited = Some(LimitedPriorityLevelConfiguration {
        limit_response: LimitResponse {
            r#type: LimitResponseType::Queue,
            queuing: Some(QueuingConfiguration {
                queues: Some(queues),
                hand_size: Some(hand_size),
                queue_length_limit: Some(queue_length_limit),
                ..Default::default()
            }),
            ..Default::default()
        },
        ..Default::default()
    });
    level
}

fn flow_schema(
    name: &str,
    level: &str,
    precedence: i32,
    rule: PolicyRulesWithSubjects,
) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.to_owned());
    schema.spec.matching_precedence = Some(precedence);
    schema.spec.priority_level_configuration.name = level.to_owned();
    schema.spec.rules = vec![rule];
    schema
}

fn of_group(name: &str) -> Subject {
    Subject {
        kind: SubjectKind::Group,
        group: Some(GroupSubject {
            name: name.to_owned(),
            ..Default::default()
        }),
        ..Default::default()
    }
}
