//! The Protocol Buffers messages of Kubernetes: the numbers of their fields, in order.

use Type::{List, Map, Message, Number, Optional, Switch, Text, Time};

/// The name in JSON, the number, and the type.
pub(super) type Field = (&'static str, u64, Type);

#[derive(Debug)]
pub(super) enum Type {
    Text,
    Number,
    Switch,
    Time,
    /// JSON in its own message.
    Json,
    Message(&'static [Field]),
    List(&'static Type),
    /// A map of strings.
    Map,
    /// A list of strings in its own message.
    Verbs,
    /// A pointer in Go, which is left out when it is nil.
    Optional(&'static Type),
}

pub(super) fn fields(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "FlowSchema" => FLOW_SCHEMA,
        "FlowSchemaList" => &[LIST_METADATA, ("items", 2, List(&Message(FLOW_SCHEMA)))],
        "PriorityLevelConfiguration" => LEVEL,
        "PriorityLevelConfigurationList" => &[LIST_METADATA, ("items", 2, List(&Message(LEVEL)))],
        "PartialObjectMetadata" => PARTIAL,
        "PartialObjectMetadataList" => &[LIST_METADATA, ("items", 2, List(&Message(PARTIAL)))],
        "Status" => STATUS,
        "APIGroup" => GROUP,
        "APIGroupList" => &[("groups", 1, List(&Message(GROUP)))],
        "APIResourceList" => &[
            ("groupVersion", 1, Text),
            ("resources", 2, List(&Message(RESOURCE))),
        ],
        _ => return None,
    })
}

const METADATA: Field = (
    "metadata",
    1,
    Message(&[
        ("name", 1, Text),
        ("generateName", 2, Text),
        ("namespace", 3, Text),
        ("selfLink", 4, Text),
        ("uid", 5, Text),
        ("resourceVersion", 6, Text),
        ("generation", 7, Number),
        ("creationTimestamp", 8, Time),
        ("deletionTimestamp", 9, Optional(&Time)),
        ("deletionGracePeriodSeconds", 10, Optional(&Number)),
        ("labels", 11, Map),
        ("annotations", 12, Map),
        ("ownerReferences", 13, List(&Message(OWNER))),
        ("finalizers", 14, List(&Text)),
        ("managedFields", 17, List(&Message(MANAGED_FIELDS))),
    ]),
);

const OWNER: &[Field] = &[
    ("kind", 1, Text),
    ("name", 3, Text),
    ("uid", 4, Text),
    ("apiVersion", 5, Text),
    ("controller", 6, Optional(&Switch)),
    ("blockOwnerDeletion", 7, Optional(&Switch)),
];

const MANAGED_FIELDS: &[Field] = &[
    ("manager", 1, Text),
    ("operation", 2, Text),
    ("apiVersion", 3, Text),
    ("time", 4, Optional(&Time)),
    ("fieldsType", 6, Text),
    ("fieldsV1", 7, Optional(&Type::Json)),
    ("subresource", 8, Text),
];

const LIST_METADATA: Field = (
    "metadata",
    1,
    Message(&[
        ("selfLink", 1, Text),
        ("resourceVersion", 2, Text),
        ("continue", 3, Text),
        ("remainingItemCount", 4, Optional(&Number)),
    ]),
);

const FLOW_SCHEMA: &[Field] = &[
    METADATA,
    (
        "spec",
        2,
        Message(&[
            ("priorityLevelConfiguration", 1, Message(NAME)),
            ("matchingPrecedence", 2, Number),
            (
                "distinguisherMethod",
                3,
                Optional(&Message(&[("type", 1, Text)])),
            ),
            ("rules", 4, List(&Message(RULES))),
        ]),
    ),
    CONDITIONS,
];

const NAME: &[Field] = &[("name", 1, Text)];

const RULES: &[Field] = &[
    ("subjects", 1, List(&Message(SUBJECT))),
    (
        "resourceRules",
        2,
        List(&Message(&[
            ("verbs", 1, List(&Text)),
            ("apiGroups", 2, List(&Text)),
            ("resources", 3, List(&Text)),
            ("clusterScope", 4, Switch),
            ("namespaces", 5, List(&Text)),
        ])),
    ),
    (
        "nonResourceRules",
        3,
        List(&Message(&[
            ("verbs", 1, List(&Text)),
            ("nonResourceURLs", 6, List(&Text)),
        ])),
    ),
];

const SUBJECT: &[Field] = &[
    ("kind", 1, Text),
    ("user", 2, Optional(&Message(NAME))),
    ("group", 3, Optional(&Message(NAME))),
    (
        "serviceAccount",
        4,
        Optional(&Message(&[("namespace", 1, Text), ("name", 2, Text)])),
    ),
];

/// The status of both kinds.
const CONDITIONS: Field = (
    "status",
    3,
    Message(&[(
        "conditions",
        1,
        List(&Message(&[
            ("type", 1, Text),
            ("status", 2, Text),
            ("lastTransitionTime", 3, Time),
            ("reason", 4, Text),
            ("message", 5, Text),
        ])),
    )]),
);

const LEVEL: &[Field] = &[
    METADATA,
    (
        "spec",
        2,
        Message(&[
            ("type", 1, Text),
            ("limited", 2, Optional(&Message(LIMITED))),
            (
                "exempt",
                3,
                Optional(&Message(&[
                    ("nominalConcurrencyShares", 1, Optional(&Number)),
                    ("lendablePercent", 2, Optional(&Number)),
                ])),
            ),
        ]),
    ),
    CONDITIONS,
];

const LIMITED: &[Field] = &[
    // Every level has its shares under either name.
    ("assuredConcurrencyShares", 1, Optional(&Number)),
    ("nominalConcurrencyShares", 1, Optional(&Number)),
    (
        "limitResponse",
        2,
        Message(&[
            ("type", 1, Text),
            (
                "queuing",
                2,
                Optional(&Message(&[
                    ("queues", 1, Number),
                    ("handSize", 2, Number),
                    ("queueLengthLimit", 3, Number),
                ])),
            ),
        ]),
    ),
    ("lendablePercent", 3, Optional(&Number)),
    ("borrowingLimitPercent", 4, Optional(&Number)),
];

const PARTIAL: &[Field] = &[METADATA];

const STATUS: &[Field] = &[
    LIST_METADATA,
    ("status", 2, Text),
    ("message", 3, Text),
    ("reason", 4, Text),
    (
        "details",
        5,
        Optional(&Message(&[
            ("name", 1, Text),
            ("group", 2, Text),
            ("kind", 3, Text),
            (
                "causes",
                4,
                List(&Message(&[
                    ("reason", 1, Text),
                    ("message", 2, Text),
                    ("field", 3, Text),
                ])),
            ),
            ("retryAfterSeconds", 5, Number),
            ("uid", 6, Text),
        ])),
    ),
    ("code", 6, Number),
];

const GROUP_VERSION: &[Field] = &[("groupVersion", 1, Text), ("version", 2, Text)];

const GROUP: &[Field] = &[
    ("name", 1, Text),
    ("versions", 2, List(&Message(GROUP_VERSION))),
    ("preferredVersion", 3, Message(GROUP_VERSION)),
];

const RESOURCE: &[Field] = &[
    ("name", 1, Text),
    ("namespaced", 2, Switch),
    ("kind", 3, Text),
    ("verbs", 4, Type::Verbs),
    ("singularName", 6, Text),
    ("group", 8, Text),
    ("version", 9, Text),
    ("storageVersionHash", 10, Text),
];
