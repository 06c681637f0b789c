//! The formats in which audit events are delivered.

use k8s_flowcontrol_types::__named as named;
use serde::{Deserialize, Serialize};

named! {
    /// A format in which audit events are delivered. [`AuditLog::read`](super::super::AuditLog::read) recognizes it by the content, for
    /// each entry of a log on its own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub enum Format {
        /// Events in JSON, one per line, as `--audit-log-format=json` writes them; lists of events, and JSON arrays of events.
        Events = "audit events",
        /// Amazon CloudWatch Logs: responses of `FilterLogEvents`, `GetLogEvents` and Logs Insights, and subscriptions through Firehose,
        /// Kinesis and Lambda.
        CloudWatch = "CloudWatch Logs",
        /// Google Cloud Logging: log entries with a `protoPayload` of the type AuditLog. The events are made from them.
        CloudLogging = "Cloud Logging",
        /// Azure diagnostic settings: `log_s` of the table `AzureDiagnostics`, and the records of storage accounts and event hubs.
        AzureDiagnostics = "Azure diagnostics",
        /// The Log Analytics tables `AKSAudit` and `AKSAuditAdmin`. The events are made from the columns.
        AksAudit = "AKSAudit",
        /// Grafana Loki: responses of `query_range`, and the lines of `logcli`.
        Loki = "Loki",
        /// Elasticsearch and OpenSearch: search responses, exported documents, and the bodies of `_bulk`.
        Elasticsearch = "Elasticsearch",
        /// Splunk: exported results, and events of the HTTP Event Collector.
        Splunk = "Splunk",
        /// `journalctl -o json`.
        Journald = "journald",
        /// The log files of containers: of CRI runtimes, and of Docker.
        ContainerLog = "container logs",
        /// Records of Fluent Bit, Fluentd, Vector and Filebeat, with the event as a text.
        Records = "records of log shippers",
        /// Lines with a prefix: `oc adm node-logs`, `kubectl logs --prefix` and `--timestamps`, journalctl, syslog, and exports of CloudWatch
        /// Logs to S3.
        PrefixedLines = "lines with a prefix",
    }
    /// The name for people.
    pub fn name;
    /// All formats.
    pub const ALL;
}

impl Format {
    /// The fields of an event that the format does not have, whatever the audit policy is. Empty for a format that carries whole
    /// events.
    pub const fn lacks(self) -> &'static [&'static str] {
        match self {
            Self::CloudLogging => &[
                "the duration of requests",
                "HTTP status codes (they are computed from google.rpc codes)",
                "the groups of users (only those that follow from the user name are known)",
                "the impersonated user",
                "the query of requests",
            ],
            Self::AksAudit => &["the impersonated user"],
            _ => &[],
        }
    }
}
