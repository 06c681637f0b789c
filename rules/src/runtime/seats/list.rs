//! Lists, and watches with initial events.

use super::estimator::Estimator;
use super::explanation::{Explanation, Measure, Reason, Scan};
use super::gates::FeatureGate;
use super::request::{MINIMUM, Request, Stored};
use crate::matching::Query;
use k8s_flowcontrol_types::Fact;

/// The most seats of a list that is measured in objects.
const LIMIT_BY_COUNT: u64 = 10;
/// The most seats of a list that is measured in bytes.
const LIMIT_BY_SIZE: u64 = 100;
const OBJECTS_PER_SEAT: u64 = 100;
const BYTES_PER_SEAT: u64 = 100_000;
/// The most bytes that the watch cache loads at once, because it streams the response.
const CACHE_BYTES: u64 = 1_000_000;
/// The size of an object whose size is unknown: the most that etcd stores.
const LARGEST_OBJECT: u64 = 1_500_000;
/// The objects of a resource whose count is stale.
const STALE_OBJECTS: u64 = 1_000_000_000;

pub(super) fn explain(estimator: &Estimator, request: &Request<'_>) -> Explanation {
    let by_size = estimator.is_enabled(FeatureGate::SizeBasedListCostEstimate);
    let limit = if by_size {
        LIMIT_BY_SIZE
    } else {
        LIMIT_BY_COUNT
    };
    let bound = estimator.bound(request, limit);
    let is_uniform = estimator.release().has(Fact::UniformListEstimates);
    if !request.name.is_empty() && !is_uniform {
        return Explanation::seats(MINIMUM, Reason::OneObject);
    }
    let query = Query::parse(request.query);
    let Some(options) = ListOptions::read(&query) else {
        return Explanation::seats(bound, Reason::UnreadableQuery { bound });
    };
    let is_watch = request.verb == "watch";
    if is_watch && !options.sends_initial_events(estimator) {
        return Explanation::seats(MINIMUM, Reason::NoInitialEvents);
    }
    let from_cache = is_watch || !options.reads_storage(estimator);
    let (stored, average_bytes) = match request.stored {
        Stored::Known {
            objects: objects @ 1..,
            average_bytes: 0,
        } => (objects, LARGEST_OBJECT),
        Stored::Known {
            objects,
            average_bytes,
        } => (objects, average_bytes),
        Stored::Stale if is_uniform => (STALE_OBJECTS, LARGEST_OBJECT),
        Stored::Stale => return Explanation::seats(bound, Reason::StaleCount { bound }),
        Stored::NotFound => return Explanation::seats(MINIMUM, Reason::NotCounted),
    };
    let limited = match options.limit {
        1.. => stored.min(options.limit as u64),
        _ => stored,
    };
    let scan = match () {
        () if !request.name.is_empty() => Scan::OneObject,
        () if from_cache => Scan::Cache,
        () if options.selects => Scan::StorageWithSelector,
        () => Scan::Storage,
    };
    let measure = match by_size {
        true => loaded(scan, stored, limited, average_bytes, from_cache),
        false => processed(scan, stored, limited),
    };
    let seats = match measure {
        Measure::Objects(objects) => objects.div_ceil(OBJECTS_PER_SEAT),
        Measure::Bytes { bytes, .. } => bytes.div_ceil(BYTES_PER_SEAT),
    };
    let reason = Reason::List {
        stored,
        limited,
        from_cache,
        scan,
        measure,
        seats,
        bound,
    };
    Explanation::seats(seats.max(MINIMUM).min(bound), reason)
}

/// The bytes that the server loads at once.
fn loaded(scan: Scan, stored: u64, limited: u64, average_bytes: u64, from_cache: bool) -> Measure {
    let objects = match scan {
        Scan::OneObject => 1,
        Scan::StorageWithSelector => limited.max(stored / 2),
        Scan::Cache | Scan::Storage => limited,
    };
    let bytes = objects.saturating_mul(average_bytes);
    Measure::Bytes {
        objects,
        average_bytes,
        bytes: match from_cache {
            true => bytes.min(CACHE_BYTES),
            false => bytes,
        },
    }
}

/// The objects that the server processes.
fn processed(scan: Scan, stored: u64, limited: u64) -> Measure {
    Measure::Objects(match scan {
        Scan::OneObject => 1,
        Scan::Cache => stored,
        Scan::StorageWithSelector => stored.saturating_add(limited),
        Scan::Storage => limited.saturating_mul(2),
    })
}

/// The options in a query that change the seats.
struct ListOptions<'a> {
    /// 0 or less without a limit.
    limit: i64,
    continues: bool,
    resource_version: &'a str,
    resource_version_match: &'a str,
    /// Whether there is a label or field selector.
    selects: bool,
    send_initial_events: bool,
}

impl<'a> ListOptions<'a> {
    /// The options of a query; `None` if a server cannot decode it.
    fn read(query: &'a Query<'a>) -> Option<Self> {
        let text = |name| query.get(name).unwrap_or_default();
        let number = |name| query.get(name).map_or(Some(0), |value| value.parse().ok());
        let _timeout: i64 = number("timeoutSeconds")?;
        Some(Self {
            limit: number("limit")?,
            continues: !text("continue").is_empty(),
            resource_version: text("resourceVersion"),
            resource_version_match: text("resourceVersionMatch"),
            selects: !text("labelSelector").is_empty() || !text("fieldSelector").is_empty(),
            send_initial_events: query.flag("sendInitialEvents"),
        })
    }

    fn has_no_version(&self) -> bool {
        matches!(self.resource_version, "" | "0")
    }

    fn sends_initial_events(&self, estimator: &Estimator) -> bool {
        let is_legacy = estimator.release().has(Fact::EstimatesLegacyWatches);
        self.send_initial_events || (is_legacy && self.has_no_version())
    }

    /// Whether a list is served from etcd and not from the watch cache.
    fn reads_storage(&self, estimator: &Estimator) -> bool {
        let is_consistent = self.resource_version.is_empty()
            && !estimator.is_enabled(FeatureGate::ConsistentListFromCache);
        let is_paged = self.limit > 0 && self.resource_version != "0";
        let is_exact_page = self.limit > 0 && !self.has_no_version();
        let has = |fact| estimator.release().has(fact);
        match self.resource_version_match {
            matching if !has(Fact::EstimatesKnowMatch) => {
                is_consistent || self.continues || is_paged || matching == "Exact"
            }
            "" | "NotOlderThan" if !has(Fact::EstimatesKnowCachedPages) => {
                is_consistent || self.continues || is_paged
            }
            "" => is_consistent || self.continues || is_exact_page,
            "NotOlderThan" if has(Fact::EstimatesKnowNotOlderThan) => false,
            "NotOlderThan" => is_consistent || self.continues,
            // `Exact`, and invalid values.
            _ => true,
        }
    }
}
