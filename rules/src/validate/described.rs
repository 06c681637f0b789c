//! Objects in a server's memory as values of its internal Go types.

use super::go_value::{GoValue, Member};
use super::internal::{
    Exempt, FlowSchemaSpec, LevelSpec, Limited, List, NonResourceRule, ResourceRule, Rule, Subject,
};
use k8s_flowcontrol_types::Release;

impl FlowSchemaSpec {
    pub(super) fn described(&self) -> GoValue {
        let level = GoValue::Struct(
            "flowcontrol.PriorityLevelConfigurationReference",
            vec![Member::internal("Name", GoValue::text(&self.level))],
        );
        let distinguisher = self.distinguisher.as_deref().map(distinguisher);
        GoValue::Struct(
            "flowcontrol.FlowSchemaSpec",
            vec![
                Member::internal("PriorityLevelConfiguration", level),
                Member::internal("MatchingPrecedence", GoValue::Integer(self.precedence)),
                Member::internal(
                    "DistinguisherMethod",
                    GoValue::pointer("flowcontrol.FlowDistinguisherMethod", distinguisher),
                ),
                Member::internal(
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

/// The distinguisher method of a type.
pub(super) fn distinguisher(type_: &str) -> GoValue {
    GoValue::Struct(
        "flowcontrol.FlowDistinguisherMethod",
        vec![Member::internal("Type", GoValue::text(type_))],
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
                Member::internal("Subjects", subjects),
                Member::internal("ResourceRules", resource_rules),
                Member::internal("NonResourceRules", non_resource_rules),
            ],
        )
    }
}

impl Subject {
    fn described(&self) -> GoValue {
        let named = |to: &'static str, name: &Option<String>| {
            let name = name.as_deref().map(|name| {
                let member = Member::internal("Name", GoValue::text(name));
                GoValue::Struct(to, vec![member])
            });
            GoValue::pointer(to, name)
        };
        let account = self.service_account.as_ref().map(|account| {
            GoValue::Struct(
                "flowcontrol.ServiceAccountSubject",
                vec![
                    Member::internal("Namespace", GoValue::text(&account.namespace)),
                    Member::internal("Name", GoValue::text(&account.name)),
                ],
            )
        });
        GoValue::Struct(
            "flowcontrol.Subject",
            vec![
                Member::internal("Kind", GoValue::text(&self.kind)),
                Member::internal("User", named("flowcontrol.UserSubject", &self.user)),
                Member::internal("Group", named("flowcontrol.GroupSubject", &self.group)),
                Member::internal(
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
                Member::internal("Verbs", GoValue::texts(self.verbs.non_nil())),
                Member::internal("APIGroups", GoValue::texts(self.api_groups.non_nil())),
                Member::internal("Resources", GoValue::texts(self.resources.non_nil())),
                Member::internal("ClusterScope", GoValue::Bool(self.cluster_scope)),
                Member::internal("Namespaces", GoValue::texts(self.namespaces.non_nil())),
            ],
        )
    }
}

impl NonResourceRule {
    fn described(&self) -> GoValue {
        GoValue::Struct(
            "flowcontrol.NonResourcePolicyRule",
            vec![
                Member::internal("Verbs", GoValue::texts(self.verbs.non_nil())),
                Member::internal("NonResourceURLs", GoValue::texts(self.urls.non_nil())),
            ],
        )
    }
}

impl LevelSpec {
    pub(super) fn described(&self, release: Release) -> GoValue {
        let limited = self.limited.as_ref().map(Limited::described);
        let mut members = vec![
            Member::internal("Type", GoValue::text(&self.type_)),
            Member::internal(
                "Limited",
                GoValue::pointer("flowcontrol.LimitedPriorityLevelConfiguration", limited),
            ),
        ];
        if release.minor() >= 28 {
            let exempt = self.exempt.as_ref().map(Exempt::described);
            members.push(Member::internal(
                "Exempt",
                GoValue::pointer("flowcontrol.ExemptPriorityLevelConfiguration", exempt),
            ));
        }
        GoValue::Struct("flowcontrol.PriorityLevelConfigurationSpec", members)
    }
}

impl Limited {
    fn described(&self) -> GoValue {
        let queuing = self.queuing.as_ref().map(|queuing| {
            GoValue::Struct(
                "flowcontrol.QueuingConfiguration",
                vec![
                    Member::internal("Queues", GoValue::Integer(queuing.queues)),
                    Member::internal("HandSize", GoValue::Integer(queuing.hand_size)),
                    Member::internal(
                        "QueueLengthLimit",
                        GoValue::Integer(queuing.queue_length_limit),
                    ),
                ],
            )
        });
        let response = GoValue::Struct(
            "flowcontrol.LimitResponse",
            vec![
                Member::internal("Type", GoValue::text(&self.response)),
                Member::internal(
                    "Queuing",
                    GoValue::pointer("flowcontrol.QueuingConfiguration", queuing),
                ),
            ],
        );
        GoValue::Struct(
            "flowcontrol.LimitedPriorityLevelConfiguration",
            vec![
                Member::internal("NominalConcurrencyShares", GoValue::Integer(self.shares)),
                Member::internal("LimitResponse", response),
                Member::internal("LendablePercent", number(self.lendable_percent)),
                Member::internal(
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
                Member::internal("NominalConcurrencyShares", number(self.shares)),
                Member::internal("LendablePercent", number(self.lendable_percent)),
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
