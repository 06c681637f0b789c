//! The built-in levels and flow schemas.

use super::{Level, LevelKind, ResourceRule, Schema, Subject};
use k8s_flowcontrol_types::Fact;

pub(super) const LEVELS: &[Level] = &[
    Level {
        name: "exempt",
        mandatory: true,
        kind: LevelKind::Exempt,
    },
    Level {
        name: "catch-all",
        mandatory: true,
        kind: LevelKind::Limited {
            shares: 5,
            lendable: 0,
            queuing: None,
        },
    },
    Level::suggested("system", 30, 33, (64, 6)),
    Level::suggested("node-high", 40, 25, (64, 6)),
    Level::suggested("leader-election", 10, 0, (16, 4)),
    Level::suggested("workload-high", 40, 50, (128, 6)),
    Level::suggested("workload-low", 100, 90, (128, 6)),
    Level::suggested("global-default", 20, 50, (128, 6)),
];

const ANY: &[&str] = &["*"];
const LEASES: &[&str] = &["leases"];
const GET_CREATE_UPDATE: &[&str] = &["get", "create", "update"];
const COORDINATION: &str = "coordination.k8s.io";

const EVERY_RESOURCE: &[ResourceRule] = &[ResourceRule {
    verbs: ANY,
    group: "*",
    resources: ANY,
    cluster_scope: true,
}];
const EVERY_URL: Option<(&str, &[&str])> = Some(("*", ANY));
const KEEP_LEASES: ResourceRule = ResourceRule {
    verbs: GET_CREATE_UPDATE,
    group: COORDINATION,
    resources: LEASES,
    cluster_scope: false,
};

const EVERYBODY: &[Subject] = &[
    Subject::Group("system:unauthenticated"),
    Subject::Group("system:authenticated"),
];
const CONTROLLER_MANAGER: Subject = Subject::User("system:kube-controller-manager");
const SCHEDULER: Subject = Subject::User("system:kube-scheduler");
const KUBE_SYSTEM: Subject = Subject::ServiceAccount("*");
const NODES: &[Subject] = &[Subject::Group("system:nodes")];

pub(super) const SCHEMAS: &[Schema] = &[
    Schema {
        mandatory: true,
        distinguisher: None,
        subjects: &[Subject::Group("system:masters")],
        ..Schema::of("exempt", "exempt", 1)
    },
    Schema {
        distinguisher: None,
        subjects: EVERYBODY,
        resources: &[],
        urls: Some(("get", &["/healthz", "/readyz", "/livez"])),
        ..Schema::of("probes", "exempt", 2)
    },
    Schema {
        subjects: &[CONTROLLER_MANAGER, SCHEDULER, KUBE_SYSTEM],
        resources: &[KEEP_LEASES],
        urls: None,
        ..Schema::of("system-leader-election", "leader-election", 100)
    },
    Schema {
        subjects: &[
            CONTROLLER_MANAGER,
            Subject::ServiceAccount("endpoint-controller"),
            Subject::ServiceAccount("endpointslicemirroring-controller"),
        ],
        resources: &[ResourceRule {
            verbs: GET_CREATE_UPDATE,
            group: "",
            resources: &["endpoints"],
            cluster_scope: false,
        }],
        urls: None,
        only_with: Some(Fact::LeaderElectionSchemas),
        ..Schema::of("endpoint-controller", "workload-high", 150)
    },
    Schema {
        subjects: &[KUBE_SYSTEM],
        resources: &[
            ResourceRule {
                verbs: GET_CREATE_UPDATE,
                group: "",
                resources: &["endpoints", "configmaps"],
                cluster_scope: false,
            },
            KEEP_LEASES,
        ],
        urls: None,
        only_with: Some(Fact::LeaderElectionSchemas),
        ..Schema::of("workload-leader-election", "leader-election", 200)
    },
    Schema {
        subjects: NODES,
        resources: &[
            ResourceRule {
                verbs: ANY,
                group: "",
                resources: &["nodes", "nodes/status"],
                cluster_scope: true,
            },
            ResourceRule {
                verbs: ANY,
                group: COORDINATION,
                resources: LEASES,
                cluster_scope: false,
            },
        ],
        urls: None,
        ..Schema::of("system-node-high", "node-high", 400)
    },
    Schema {
        subjects: NODES,
        ..Schema::of("system-nodes", "system", 500)
    },
    Schema {
        subjects: &[CONTROLLER_MANAGER],
        distinguisher: Some("ByNamespace"),
        ..Schema::of("kube-controller-manager", "workload-high", 800)
    },
    Schema {
        subjects: &[SCHEDULER],
        distinguisher: Some("ByNamespace"),
        ..Schema::of("kube-scheduler", "workload-high", 800)
    },
    Schema {
        subjects: &[KUBE_SYSTEM],
        distinguisher: Some("ByNamespace"),
        ..Schema::of("kube-system-service-accounts", "workload-high", 900)
    },
    Schema {
        subjects: &[Subject::Group("system:serviceaccounts")],
        ..Schema::of("service-accounts", "workload-low", 9000)
    },
    Schema {
        subjects: EVERYBODY,
        ..Schema::of("global-default", "global-default", 9900)
    },
    Schema {
        mandatory: true,
        subjects: EVERYBODY,
        ..Schema::of("catch-all", "catch-all", 10000)
    },
];

impl Schema {
    /// A suggested schema for all requests, with one flow per user.
    const fn of(name: &'static str, level: &'static str, precedence: i32) -> Self {
        Self {
            name,
            mandatory: false,
            level,
            precedence,
            distinguisher: Some("ByUser"),
            subjects: &[],
            resources: EVERY_RESOURCE,
            urls: EVERY_URL,
            only_with: None,
        }
    }
}
