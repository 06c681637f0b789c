//! Objects as values of the server's internal Go types, for printing in messages.

use super::go_value::{Field, GoValue};
use super::internal::{
    Exempt, FlowSchemaSpec, LevelSpec, Limited, List, NonResourceRule, ResourceRule, Rule, Subject,
};
use k8s_flowcontrol_types::{Fact, Release};

impl FlowSchemaSpec {
    pub(super) fn described(&self) -> GoValue {
        let level = GoValue::Struct(
            "flowcontrol.PriorityLevelConfigurationReference",
            vec![Field::internal("Name", GoValue::text(&self.level))],
        );
        let distinguisher = self.distinguisher.as_deref().map(distinguisher);
        GoValue::Struct(
            "flowcontrol.FlowSchemaSpec",
            vec![
                Field::internal("PriorityLevelConfiguration", level),
                Field::internal("MatchingPrecedence", GoValue::Integer(self.precedence)),
                Field::internal(
                    "DistinguisherMethod",
                    GoValue::pointer("flowcontrol.FlowDistinguisherMethod", distinguisher),
                ),
                Field::internal(
                    "Rules",
                    slice(
                        "flowcontrol.PolicyRulesWithSubjects",
                        &self.rules,
                        Rule::described,
                    ),
                ),
            ],
        )
    }
}

/// The distinguisher method with the given type.
pub(super) fn distinguisher(type_: &str) -> GoValue {
    GoValue::Struct(
        "flowcontrol.FlowDistinguisherMethod",
        vec![Field::internal("Type", GoValue::text(type_))],
    )
}

impl Rule {
    fn described(&self) -> GoValue {
        let subjects = slice("flowcontrol.Subject", &self.subjects, Subject::described);
        let resource_rules = slice(
            "flowcontrol.ResourcePolicyRule",
            &self.resource_rules,
            ResourceRule::described,
        );
        let non_resource_rules = slice(
            "flowcontrol.NonResourcePolicyRule",
            &self.non_resource_rules,
            NonResourceRule::described,
        );
        GoValue::Struct(
            "flowcontrol.PolicyRulesWithSubjects",
            vec![
                Field::internal("Subjects", subjects),
                Field::internal("ResourceRules", resource_rules),
                Field::internal("NonResourceRules", non_resource_rules),
            ],
        )
    }
}

impl Subject {
    fn described(&self) -> GoValue {
        let named = |to: &'static str, name: &Option<String>| {
            let name = name.as_deref().map(|name| {
                let field = Field::internal("Name", GoValue::text(name));
                GoValue::Struct(to, vec![field])
            });
            GoValue::pointer(to, name)
        };
        let account = self.service_account.as_ref().map(|account| {
            GoValue::Struct(
                "flowcontrol.ServiceAccountSubject",
                vec![
                    Field::internal("Namespace", GoValue::text(&account.namespace)),
                    Field::internal("Name", GoValue::text(&account.name)),
                ],
            )
        });
        GoValue::Struct(
            "flowcontrol.Subject",
            vec![
                Field::internal("Kind", GoValue::text(&self.kind)),
                Field::internal("User", named("flowcontrol.UserSubject", &self.user)),
                Field::internal("Group", named("flowcontrol.GroupSubject", &self.group)),
                Field::internal(
                    "ServiceAccount",
                    GoValue::pointer("flowcontrol.ServiceAccountSubject", account),
                ),
            ],
        )
    }
}

impl ResourceRule {
    fn described(&self) -> GoValue {
        GoValue::Struct(
            "flowcontrol.ResourcePolicyRule",
            vec![
                Field::internal("Verbs", GoValue::texts(self.verbs.non_nil())),
                Field::internal("APIGroups", GoValue::texts(self.api_groups.non_nil())),
                Field::internal("Resources", GoValue::texts(self.resources.non_nil())),
                Field::internal("ClusterScope", GoValue::Bool(self.cluster_scope)),
                Field::internal("Namespaces", GoValue::texts(self.namespaces.non_nil())),
            ],
        )
    }
}

impl NonResourceRule {
    fn described(&self) -> GoValue {
        GoValue::Struct(
            "flowcontrol.NonResourcePolicyRule",
            vec![
                Field::internal("Verbs", GoValue::texts(self.verbs.non_nil())),
                Field::internal("NonResourceURLs", GoValue::texts(self.urls.non_nil())),
            ],
        )
    }
}

impl LevelSpec {
    pub(super) fn described(&self, release: Release) -> GoValue {
        let limited = self.limited.as_ref().map(Limited::described);
        let mut fields = vec![
            Field::internal("Type", GoValue::text(&self.type_)),
            Field::internal(
                "Limited",
                GoValue::pointer("flowcontrol.LimitedPriorityLevelConfiguration", limited),
            ),
        ];
        if release.has(Fact::ExemptField) {
            let exempt = self.exempt.as_ref().map(Exempt::described);
            fields.push(Field::internal(
                "Exempt",
                GoValue::pointer("flowcontrol.ExemptPriorityLevelConfiguration", exempt),
            ));
        }
        GoValue::Struct("flowcontrol.PriorityLevelConfigurationSpec", fields)
    }
}

impl Limited {
    fn described(&self) -> GoValue {
        let queuing = self.queuing.as_ref().map(|queuing| {
            GoValue::Struct(
                "flowcontrol.QueuingConfiguration",
                vec![
                    Field::internal("Queues", GoValue::Integer(queuing.queues)),
                    Field::internal("HandSize", GoValue::Integer(queuing.hand_size)),
                    Field::internal(
                        "QueueLengthLimit",
                        GoValue::Integer(queuing.queue_length_limit),
                    ),
                ],
            )
        });
        let response = GoValue::Struct(
            "flowcontrol.LimitResponse",
            vec![
                Field::internal("Type", GoValue::text(&self.response)),
                Field::internal(
                    "Queuing",
                    GoValue::pointer("flowcontrol.QueuingConfiguration", queuing),
                ),
            ],
        );
        GoValue::Struct(
            "flowcontrol.LimitedPriorityLevelConfiguration",
            vec![
                Field::internal("NominalConcurrencyShares", GoValue::Integer(self.shares)),
                Field::internal("LimitResponse", response),
                Field::internal("LendablePercent", number(self.lendable_percent)),
                Field::internal(
                    "BorrowingLimitPercent",
                    number(self.borrowing_limit_percent),
                ),
            ],
        )
    }
}

impl Exempt {
    fn described(&self) -> GoValue {
        GoValue::Struct(
            "flowcontrol.ExemptPriorityLevelConfiguration",
            vec![
                Field::internal("NominalConcurrencyShares", number(self.shares)),
                Field::internal("LendablePercent", number(self.lendable_percent)),
            ],
        )
    }
}

fn number(value: Option<i64>) -> GoValue {
    GoValue::pointer("int32", value.map(GoValue::Integer))
}

fn slice<T>(element: &'static str, list: &List<T>, described: impl Fn(&T) -> GoValue) -> GoValue {
    let elements = list.non_nil();
    GoValue::Slice(
        element,
        elements.map(|elements| elements.iter().map(described).collect()),
    )
}
