//! The commands of clouds and log stores.
//!
//! Sources: the AWS CLI reference (`logs filter-log-events`, `logs create-export-task`, `eks update-cluster-config`), the gcloud reference (`logging
//! read`), the Azure CLI reference (`monitor log-analytics query`), the OpenShift documentation ("Viewing audit logs"), the manual of logcli,
//! and the README of elasticdump.

use super::Range;

/// The placeholder for the name of the cluster if none is given.
pub(super) const CLUSTER: &str = "CLUSTER";

/// Events that reports need: the last of each request, and the beginning of a watch.
const STAGES: &str = "ResponseComplete, ResponseStarted";

pub(super) fn eks(cluster: &str, range: Range) -> String {
    let group = quoted(&format!("/aws/eks/{cluster}/cluster"));
    let (from, to) = (range.since.as_millisecond(), range.until.as_millisecond());
    let name = quoted(cluster);
    format!(
        "\
# Audit logs must be enabled, once:
#   aws eks update-cluster-config --name {name} --logging '{{\"clusterLogging\":[{{\"types\":[\"audit\"],\"enabled\":true}}]}}'
# From {} to {}
aws logs filter-log-events --log-group-name {group} --log-stream-name-prefix kube-apiserver-audit \\
  --start-time {from} --end-time {to} --output json > audit.json
# Many hours are faster through S3; read the .gz files of the bucket:
#   aws logs create-export-task --log-group-name {group} --log-stream-name-prefix kube-apiserver-audit \\
#     --from {from} --to {to} --destination BUCKET --destination-prefix audit
",
        range.since, range.until
    )
}

/// Without a project, the cluster is in the one of gcloud's configuration.
pub(super) fn gke(cluster: &str, range: Range) -> String {
    let (project, name) = match cluster.split_once('/') {
        Some((project, name)) => (format!(" --project={}", quoted(project)), name),
        None => (String::new(), cluster),
    };
    let filter = format!(
        "resource.type=\"k8s_cluster\" AND resource.labels.cluster_name=\"{}\" AND protoPayload.serviceName=\"k8s.io\" AND timestamp>=\"{}\" AND timestamp<\"{}\"",
        escaped(name),
        range.since,
        range.until
    );
    format!(
        "\
# Reads (get, list, watch) are there only if Data Access audit logs of the Kubernetes Engine API are enabled. Cloud Logging has no
# durations, groups, impersonated users and queries of requests.
gcloud logging read {}{project} --format=json --order=asc > audit.json
",
        quoted(&filter)
    )
}

/// Without a resource group, the cluster is in any one. `endswith` ignores case, in which the tables differ.
pub(super) fn aks(cluster: &str, range: Range) -> String {
    let (group, name) = match cluster.split_once('/') {
        Some((group, name)) => (format!("/resourcegroups/{group}"), name),
        None => (String::new(), cluster),
    };
    let resource = format!(
        "{}/providers/microsoft.containerservice/managedclusters/{}",
        escaped(&group),
        escaped(name)
    );
    let time = format!(
        "where TimeGenerated between (datetime({}) .. datetime({}))",
        range.since, range.until
    );
    let diagnostics = format!(
        "AzureDiagnostics | {time} | where Category == \"kube-audit\" and ResourceId endswith \"{resource}\" | where log_s !contains \"\\\"stage\\\":\\\"RequestReceived\\\"\" | project log_s"
    );
    let stages = STAGES.replace(", ", "\", \"");
    let table = format!(
        "AKSAudit | {time} | where _ResourceId endswith \"{resource}\" | where Stage in (\"{stages}\") | project Level, AuditId, Stage, RequestUri, Verb, User, SourceIps, UserAgent, ObjectRef, ResponseStatus, RequestReceivedTime, StageReceivedTime, Annotations"
    );
    format!(
        "\
# WORKSPACE is the ID of the Log Analytics workspace. The diagnostic setting of the cluster needs the category kube-audit; kube-audit-admin
# has no get, list and watch. A response has at most 500,000 rows: use shorter time ranges for more.
# If the setting writes to AzureDiagnostics:
az monitor log-analytics query --workspace \"$WORKSPACE\" --output json --analytics-query \\
  {} > audit.json
# If it writes to resource-specific tables, which have no impersonated users:
az monitor log-analytics query --workspace \"$WORKSPACE\" --output json --analytics-query \\
  {} > audit-table.json
",
        quoted(&diagnostics),
        quoted(&table)
    )
}

pub(super) fn openshift() -> String {
    "\
# The whole current logs of all control plane nodes; nodes keep no time range. The profile Default of the audit configuration suffices.
oc adm node-logs --role=master --path=kube-apiserver/audit.log > audit.log
# Older logs, by the names that `oc adm node-logs --role=master --path=kube-apiserver/` lists:
#   oc adm node-logs NODE --path=kube-apiserver/audit-TIME.log > audit-NODE-TIME.log
"
    .to_owned()
}

pub(super) fn loki(selector: Option<&str>, range: Range) -> String {
    let selector = selector.unwrap_or("{job=\"audit\"}");
    let query = quoted(&format!("{selector} != `\"stage\":\"RequestReceived\"`"));
    format!(
        "\
# LOKI_ADDR is the address of Loki.
logcli query {query} --from={} --to={} --limit=0 --batch=5000 --forward --output=jsonl > audit.jsonl
# Without logcli, 5,000 lines at once:
#   curl --get \"$LOKI_ADDR/loki/api/v1/query_range\" --data-urlencode query={query} \\
#     --data-urlencode start={}000000000 --data-urlencode end={}000000000 --data-urlencode limit=5000 --data-urlencode direction=forward
",
        range.since,
        range.until,
        range.since.as_second(),
        range.until.as_second()
    )
}

pub(super) fn elasticsearch(index: Option<&str>, range: Range) -> String {
    let index = index.unwrap_or("audit-*");
    let query = serde_json::json!({
        "query": {"bool": {
            "filter": [{"range": {"requestReceivedTimestamp": {"gte": range.since.to_string(), "lt": range.until.to_string()}}}],
            "must_not": [{"term": {"stage": "RequestReceived"}}],
        }},
        "sort": [{"stageTimestamp": "asc"}],
    });
    let query = quoted(&query.to_string());
    format!(
        "\
# URL is the address of Elasticsearch or OpenSearch. If the event is in the field `message`, replace requestReceivedTimestamp and
# stageTimestamp by @timestamp, and remove must_not.
elasticdump --input=\"$URL\"/{} --output=audit.ndjson --limit=10000 --searchBody={query}
# Without elasticdump, 10,000 events at once:
#   curl \"$URL\"/{}/_search?size=10000 -H 'Content-Type: application/json' -d {query} > audit.json
",
        quoted(index),
        quoted(index)
    )
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// A text inside of double quotes of a query.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
