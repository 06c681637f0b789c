//! All known differences between Kubernetes releases, each with its source.
//!
//! To support another release, raise the newest minor number, and add its facts, reworded messages and metrics here.

use super::release::Release;
use std::borrow::Cow;

/// The minor number of the newest known release.
const NEWEST_MINOR: u32 = 37;

impl Release {
    /// The newest known release.
    pub const NEWEST: Self = Self::newest_patch_of(NEWEST_MINOR);
}

/// The words that changed in the messages of validation: since which releases, the words before, and the words since.
const REWORDED: &[(Fact, &str, &str)] = &[
    (
        Fact::SaysMayNotBeMoreThan,
        "must have at most",
        "may not be more than",
    ),
    (
        Fact::MessagesPrintJson,
        "type must be 'Exempt' if and only if name is 'exempt'",
        "must be 'Exempt' if and only if `name` is 'exempt'",
    ),
    (
        Fact::MessagesPrintJson,
        "a qualified name must consist",
        "a valid label key must consist",
    ),
];

/// The metrics of flow control that came, became beta, or were hidden in a known release, after `apiserver_flowcontrol_`.
const METRICS: &[(&str, MetricReleases)] = &[
    ("current_executing_requests", ALWAYS.beta(28)),
    ("current_executing_seats", ALWAYS.since(28).beta(28)),
    ("current_inqueue_requests", ALWAYS.beta(28)),
    ("current_inqueue_seats", ALWAYS.since(29)),
    ("current_limit_seats", ALWAYS.since(26)),
    ("demand_seats", ALWAYS.since(26)),
    ("demand_seats_average", ALWAYS.since(26)),
    ("demand_seats_high_watermark", ALWAYS.since(26)),
    ("demand_seats_smoothed", ALWAYS.since(26)),
    ("demand_seats_stdev", ALWAYS.since(26)),
    ("dispatched_requests_total", ALWAYS.beta(28)),
    ("lower_limit_seats", ALWAYS.since(26)),
    ("nominal_limit_seats", ALWAYS.since(26).beta(28)),
    ("priority_level_seat_utilization", ALWAYS.beta(38)),
    ("rejected_requests_total", ALWAYS.beta(28)),
    // A deprecated metric is hidden in the release after its deprecation.
    ("request_concurrency_in_use", ALWAYS.until(31)),
    ("request_concurrency_limit", ALWAYS.until(30)),
    ("request_wait_duration_seconds", ALWAYS.beta(28)),
    ("seat_fair_frac", ALWAYS.since(26)),
    ("target_seats", ALWAYS.since(26)),
    ("upper_limit_seats", ALWAYS.since(26)),
];

/// Declares [`Fact`] and the table of its values.
macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident: $since:literal $(patch $patch:literal)? $(until $until:literal)?, $source:literal;)*) => {
        /// A property that some Kubernetes releases have and others do not; see [`Release::has`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Fact {
            $($(#[doc = $doc])+ #[doc = concat!("\n\nSource: ", $source, ".")] $name,)*
        }

        impl Fact {
            /// All facts.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The minor and patch of the first release with this property, and the minor of the first release without it again.
            const fn range(self) -> (u32, u32, u32) {
                match self {
                    $(Self::$name => ($since, 0 $(+ $patch)?, facts!(@until $($until)?)),)*
                }
            }

            /// The property in a sentence, such as ` Exempt levels get their demand before the rest is divided.`
            const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+),)*
                }
            }

            /// Where the fact is documented, or how it was found.
            pub const fn source(self) -> &'static str {
                match self {
                    $(Self::$name => $source,)*
                }
            }
        }
    };
    (@until) => { u32::MAX };
    (@until $until:literal) => { $until };
}

facts! {
    // Fields and versions.

    /// `lendablePercent` and `borrowingLimitPercent`: levels lend and borrow seats.
    Lending: 26, "recorded on 1.25 and 1.27";
    /// `spec.exempt` of priority levels, with the shares and lending of exempt levels.
    ExemptField: 28, "recorded on 1.27 and 1.28";
    /// Servers interpret the annotation that keeps zero shares in v1beta3, and forbid it in other versions.
    PreserveZeroAnnotation: 29, "recorded on 1.28 and 1.29";
    /// The feature gate `ZeroLimitedNominalConcurrencyShares` exists, off by default.
    ZeroSharesGate: 29 until 30, "recorded on 1.29 with and without the gate";
    /// Zero shares of limited levels are valid.
    ZeroShares: 30, "recorded on 1.29 and 1.30";
    /// v1alpha1 can still be decoded, though it is not served.
    DecodesV1Alpha1: 0 until 29, "pkg/apis/flowcontrol/install of Kubernetes";
    /// The built-in flow schemas `endpoint-controller` and `workload-leader-election`.
    LeaderElectionSchemas: 0 until 34, "recorded on 1.31 and 1.36";

    // Validation.

    /// An empty type of a level or of its limit response is a missing value, not an unsupported one.
    EmptyTypeIsRequired: 36 patch 3, "kubernetes #138740 and #139366; recorded";
    /// Declarative rules of priority levels replace handwritten rules. They run last, and their errors do not have a detail.
    DeclarativeLevelRules: 37, "kubernetes/api flowcontrol/v1/types.go; recorded";
    /// Messages about conditions, controllers and names have the wording of 1.26.
    NamesOwnerKinds: 26, "recorded on 1.25 and 1.27";
    /// Messages about lengths contain `may not be more than`; before, `must have at most`.
    SaysMayNotBeMoreThan: 32, "field errors of k8s.io/apimachinery";
    /// Messages print values as JSON; before, they printed Go source.
    MessagesPrintJson: 34, "recorded on 1.31 and 1.36";
    /// A YAML error about a map key begins with a small letter.
    LowerCaseYamlErrors: 31, "recorded on 1.30 and 1.31";
    /// Fields of objects with equal list elements have owners; before, such a write keeps the managed fields.
    TracksEqualElements: 29, "recorded on 1.28 and 1.29";

    // Seats and queues.

    /// Exempt levels get their demand before the rest is divided.
    ExemptServedFirst: 31, "pkg/util/flowcontrol/apf_controller.go of kubernetes/apiserver";
    /// A priority level bounds the seats of a request.
    LevelSeatBounds: 26, "recorded estimates of 1.25 and 1.29";
    /// `Retry-After` grows with the rejections of a level; before, it was always one second.
    RetryAfterGrows: 28, "pkg/util/flowcontrol of kubernetes/apiserver; recorded on 1.36";
    /// A request waits for at most a quarter of its deadline; before, of the server's request timeout. The end of that time and a client
    /// that leaves its queue are one reason of rejections: `time-out` in metrics, and CancelledRequests in debug dumps.
    OwnWaitLimits: 29, "pkg/util/flowcontrol/fairqueuing/queueset of kubernetes/apiserver; recorded dumps of 1.36";
    /// Requests for tokens of service accounts do not take final seats.
    FreeTokens: 26, "pkg/util/flowcontrol/request of kubernetes/apiserver";
    /// Lists of one object are estimated as other lists.
    UniformListEstimates: 34, "recorded estimates of 1.29 and 1.36";
    /// Watches without resource version count as lists.
    EstimatesLegacyWatches: 35, "recorded estimates of 1.36";
    /// Estimates know that the watch cache serves lists with `resourceVersionMatch=NotOlderThan` and pages.
    EstimatesKnowMatch: 28, "recorded estimates of 1.25 and 1.29";
    /// Estimates know that the watch cache serves pages without a resource version.
    EstimatesKnowCachedPages: 31, "pkg/util/flowcontrol/request of kubernetes/apiserver";
    /// Estimates know that the watch cache serves every list with `resourceVersionMatch=NotOlderThan`.
    EstimatesKnowNotOlderThan: 33, "pkg/util/flowcontrol/request of kubernetes/apiserver";
    /// The feature gates `ConsistentListFromCache` and `WatchList` change estimates.
    ListGates: 28, "recorded estimates of 1.29 with and without WatchList";
    /// `ConsistentListFromCache` is on by default.
    ConsistentListFromCache: 31, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `ConsistentListFromCache` can be turned off.
    ConsistentListFromCacheGate: 28 until 34, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `SizeBasedListCostEstimate` can be turned off.
    SizeBasedListCostEstimateGate: 34, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `WatchList` can be turned on and off.
    WatchListGate: 27, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `SizeBasedListCostEstimate` exists, and is on by default.
    SizeBasedListCostEstimate: 34, "recorded estimates of 1.36 with and without the gate";
    /// The feature gate `ConsistentListFromCache` can be set, though it is on since 1.34; a server of a later release
    /// does not start with it.
    ConsistentListFromCacheName: 28 until 37, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `WatchList` is on by default, but off again in the next release.
    WatchListTrial: 32 until 33, "pkg/features/kube_features.go of kubernetes/apiserver";
    /// `WatchList` is on by default: a watch can begin with a list.
    WatchList: 34, "recorded on 1.36";

    // HTTP.

    /// Watches are compressed for clients that accept gzip.
    CompressesWatches: 37, "kube-rs/kube #2079 and #2080";
    /// The query parameter `sendInitialEvents` of watches is known.
    SendInitialEvents: 27, "recorded on 1.25 and 1.27";
    /// The query parameter `shardSelector` and shared parameters of OpenAPI documents.
    OpenApiSharesParameters: 28, "recorded OpenAPI documents of 1.27 and 1.28";
    /// OpenAPI documents name the release without a patch.
    OpenApiShortVersion: 31, "recorded OpenAPI documents of 1.29 and 1.31";
    /// OpenAPI documents require `spec`, the type of a condition and `limitResponse`.
    OpenApiRequiresSpec: 37, "k8s-openapi 0.29, v1_37 against v1_36";
    /// OpenAPI documents name the list types of metadata, discovery and statuses.
    OpenApiMetaListTypes: 30, "recorded OpenAPI documents of 1.29 and 1.31";
    /// OpenAPI documents give the elements of lists and maps a default.
    OpenApiElementDefaults: 0 until 34, "recorded OpenAPI documents of 1.31 and 1.36";
    /// OpenAPI documents name every registered group for DeleteOptions and WatchEvent, later only the groups of the
    /// document.
    OpenApiNamesEveryGroup: 0 until 34, "recorded OpenAPI documents of 1.31 and 1.36";
    /// OpenAPI documents require the bodies of requests, and omit the default of times and raw objects.
    OpenApiRequiredBodies: 29, "recorded OpenAPI documents of 1.28 and 1.29";
    /// OpenAPI documents say that a Status is also a kind of resource.k8s.io/v1alpha2.
    OpenApiStatusOfResourceGroup: 27 until 30, "recorded OpenAPI documents of 1.25 to 1.31";
    /// The details of a Status have a list type, though they are not a list.
    OpenApiStatusDetailsList: 30 until 32, "recorded OpenAPI documents of 1.31 and 1.36";
    /// A resource version in the future leads to a timeout, and a malformed resource version is an error of the client.
    VersionErrorsAreTheClients: 30, "recorded on 1.29 and 1.36";
    /// A body of a deletion that cannot be read is an error of the client; before, it was an error of the server.
    DeleteErrorsAreTheClients: 35, "kubernetes #133358";
    /// A strategic merge patch does not store the directives in a value that is new to the object.
    RemovesPatchDirectives: 28, "kubernetes #117568";
    /// A deletion of a collection lists in pages, so that a resource version without a match is exact.
    DeletesInPages: 28, "kubernetes #117971";
    /// A missing object is reported before a wrong UID.
    MissingBeforeUid: 30, "recorded on 1.29 and 1.31";
    /// Unset times are omitted; before, they were `null`.
    OmitsUnsetTimes: 34, "recorded on 1.31 and 1.36";
    /// SelfSubjectReview in its version v1.
    SelfSubjectReview: 28, "API reference of Kubernetes 1.28";
    /// Impersonation is checked for the request too, and an impersonated node is in the group of nodes.
    ConstrainedImpersonation: 36, "kubernetes #134803 and #137609";
    /// Discovery names the singular of a resource.
    SingularNames: 27, "recorded discovery of 1.25 and 1.27";
    /// `/version` names the emulated release and the oldest compatible one.
    VersionNamesEmulation: 33, "kubernetes #130019; recorded on 1.36";
    /// Aggregated discovery v2beta1 is on by default.
    AggregatedDiscoveryV2Beta1: 27 until 33, "feature gates of Kubernetes 1.27 and 1.33";
    /// Aggregated discovery v2.
    AggregatedDiscoveryV2: 30, "feature gates of Kubernetes 1.30";
    /// Columns of tables have the descriptions of 1.27.
    NewNameDescription: 27, "recorded tables of 1.25 and 1.27";
    /// Tables name the shares of levels as v1beta3 does.
    TablesSayNominalShares: 26, "recorded tables of 1.25 and 1.27";
    /// The server keeps the condition `Dangling` by server-side apply, before by an update.
    AppliesConditions: 26, "recorded on 1.25 and 1.27";

    // Dumps and metrics.

    /// Debug dumps count requests, and list the executing ones with their start.
    DumpsCountRequests: 28, "recorded dumps of 1.27 and 1.28";
    /// Metrics count seats in use, before requests.
    MetricsCountSeats: 28, "recorded metrics of 1.27 and 1.29";
    /// The metrics of durations have a bucket of 15 seconds.
    DurationBucketOf15Seconds: 28, "kubernetes #118945";
    /// The buckets of estimated seats go up to 100 seats, before to 10.
    SeatBucketsTo100: 34, "metrics of 1.36, recorded; pkg/util/flowcontrol/metrics of kubernetes/apiserver";
    /// The hidden metrics `apiserver_flowcontrol_request_concurrency_in_use` and `apiserver_flowcontrol_request_concurrency_limit` are deleted: no
    /// option shows them.
    MetricsRemoved: 37, "kubernetes/apiserver 917e64fb9";
}

impl Fact {
    /// The property in a sentence, as of releases that have it.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Fact;
    ///
    /// assert_eq!(Fact::ZeroShares.summary(), "Zero shares of limited levels are valid.");
    /// ```
    pub const fn summary(self) -> &'static str {
        self.text().trim_ascii()
    }
}

/// The minor releases in which API servers expose a metric of flow control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricReleases {
    /// The first release with the metric; `None` if all known releases have it or later ones removed it.
    pub first: Option<u32>,
    /// The last release with the metric; `None` if the newest has it.
    pub last: Option<u32>,
    /// The first release in which the metric is beta; `None` if it is not.
    pub beta: Option<u32>,
}

const ALWAYS: MetricReleases = MetricReleases {
    first: None,
    last: None,
    beta: None,
};

impl MetricReleases {
    /// The releases of the metric with a name such as `apiserver_flowcontrol_demand_seats`. For an unknown metric, the
    /// result is all releases.
    ///
    /// ```
    /// use k8s_flowcontrol_types::MetricReleases;
    ///
    /// assert_eq!(MetricReleases::of("apiserver_flowcontrol_demand_seats").first, Some(26));
    /// ```
    pub fn of(name: &str) -> Self {
        let name = name.strip_prefix("apiserver_flowcontrol_").unwrap_or(name);
        let found = METRICS.iter().find(|(known, _)| *known == name);
        found.map_or(ALWAYS, |(_, releases)| *releases)
    }

    const fn since(self, minor: u32) -> Self {
        Self {
            first: Some(minor),
            ..self
        }
    }

    const fn until(self, minor: u32) -> Self {
        Self {
            last: Some(minor),
            ..self
        }
    }

    const fn beta(self, minor: u32) -> Self {
        Self {
            beta: Some(minor),
            ..self
        }
    }
}

impl Release {
    /// A validation message in the wording of the release.
    ///
    /// `message` has the wording of the oldest release.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Release;
    ///
    /// let reworded = Release::nearest(36).reworded("must have at most 63 bytes");
    /// assert_eq!(reworded, "may not be more than 63 bytes");
    /// ```
    pub fn reworded(self, message: &str) -> Cow<'_, str> {
        let mut reworded = Cow::Borrowed(message);
        for (fact, before, since) in REWORDED {
            if self.has(*fact) && reworded.contains(before) {
                reworded = reworded.replace(before, since).into();
            }
        }
        reworded
    }

    /// Whether the release has a property.
    ///
    /// ```
    /// use k8s_flowcontrol_types::{Fact, Release};
    ///
    /// let release: Release = "1.36.2".parse()?;
    /// assert!(release.has(Fact::ExemptField) && !release.has(Fact::EmptyTypeIsRequired));
    /// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
    /// ```
    pub const fn has(self, fact: Fact) -> bool {
        let (minor, patch, until) = fact.range();
        let has_begun = self.minor() > minor || (self.minor() == minor && self.patch() >= patch);
        has_begun && self.minor() < until
    }

    /// The last patch of a minor release since which a fact holds; 0 if its patches do not differ.
    pub(crate) const fn last_patch(minor: u32) -> u32 {
        let mut last = 0;
        let mut index = 0;
        while index < Fact::ALL.len() {
            let (since, patch, _) = Fact::ALL[index].range();
            if since == minor && patch > last {
                last = patch;
            }
            index += 1;
        }
        last
    }
}
