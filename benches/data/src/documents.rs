//! Objects as a server writes them: FlowSchemas with the managed fields of two managers.

use std::fmt::Write;

const GROUP_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";

/// One FlowSchema of about 1.6 kB, as an element of a list.
pub fn flow_schema(index: usize) -> String {
    object(index, "")
}

/// A list of `count` FlowSchemas in one answer.
pub fn list(count: usize) -> String {
    let objects: Vec<_> = (0..count).map(flow_schema).collect();
    page(&objects, 0, usize::MAX)
}

/// The objects from `first` on, at most `limit`, with a continue token when more follow.
pub fn page(objects: &[String], first: usize, limit: usize) -> String {
    let total = objects.len();
    let end = total.min(first.saturating_add(limit));
    let more = if end < total {
        format!(
            r#","continue":"{end}","remainingItemCount":{}"#,
            total - end
        )
    } else {
        String::new()
    };
    let items = objects[first.min(end)..end].join(",");
    let version = list_version(total);
    format!(
        r#"{{"kind":"FlowSchemaList","apiVersion":"{GROUP_VERSION}","metadata":{{"resourceVersion":"{version}"{more}}},"items":[{items}]}}"#
    ) + "\n"
}

/// The lines of a streaming list: every object, and the bookmark that says it was all.
pub fn initial_events(objects: &[String]) -> String {
    let mut text = String::new();
    for object in objects {
        let members = object.trim_start_matches('{');
        text.push_str(&format!(
            r#"{{"type":"ADDED","object":{{"kind":"FlowSchema","apiVersion":"{GROUP_VERSION}",{members}}}"#
        ));
        text.push('\n');
    }
    let version = list_version(objects.len());
    text.push_str(&format!(
        r#"{{"type":"BOOKMARK","object":{{"kind":"FlowSchema","apiVersion":"{GROUP_VERSION}","metadata":{{"resourceVersion":"{version}","annotations":{{"k8s.io/initial-events-end":"true"}}}},"spec":{{"priorityLevelConfiguration":{{"name":""}},"matchingPrecedence":0}},"status":{{}}}}}}"#
    ));
    text.push('\n');
    text
}

/// The lines of a streaming list of the metadata alone.
pub fn metadata_events(objects: &[String]) -> String {
    const TYPE: &str = r#""kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1""#;
    let mut text = String::new();
    for object in objects {
        let metadata = object.split(r#","spec":"#).next().unwrap_or_default();
        let metadata = metadata.trim_start_matches('{');
        text.push_str(&format!(
            r#"{{"type":"ADDED","object":{{{TYPE},{metadata}}}}}"#
        ));
        text.push('\n');
    }
    let version = list_version(objects.len());
    text.push_str(&format!(
        r#"{{"type":"BOOKMARK","object":{{{TYPE},"metadata":{{"resourceVersion":"{version}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}}}}"#
    ));
    text.push('\n');
    text
}

/// The lines of a watch: `count` events over a thousand objects, each written once and then changed.
pub fn watch_events(count: usize) -> String {
    let mut text = String::with_capacity(count * 1800);
    for index in 0..count {
        let kind = if index < 1000 { "ADDED" } else { "MODIFIED" };
        let type_meta = format!(r#""kind":"FlowSchema","apiVersion":"{GROUP_VERSION}","#);
        let object = object(index % 1000, &type_meta);
        // Writing to a String cannot fail.
        let _ = writeln!(text, r#"{{"type":"{kind}","object":{object}}}"#);
    }
    text
}

/// A version later than that of every object.
fn list_version(total: usize) -> usize {
    total + 1000
}

fn object(index: usize, type_meta: &str) -> String {
    let (version, precedence) = (index + 1000, 500 + index % 9000);
    format!(
        concat!(
            r#"{{{}"metadata":{{"name":"schema-{:06}","uid":"5e0f9d5e-5d2b-4a34-9a3b-{:012x}","resourceVersion":"{}","generation":3,"#,
            r#""creationTimestamp":"2026-03-01T08:15:30Z","labels":{{"app.kubernetes.io/managed-by":"fleet","team":"team-{}"}},"#,
            r#""annotations":{{"example.com/ticket":"OPS-{}"}},"managedFields":["#,
            r#"{{"manager":"fleet","operation":"Apply","apiVersion":"flowcontrol.apiserver.k8s.io/v1","time":"2026-03-01T08:15:30Z","#,
            r#""fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:annotations":{{"f:example.com/ticket":{{}}}},"f:labels":{{"f:app.kubernetes.io/managed-by":{{}},"f:team":{{}}}}}},"#,
            r#""f:spec":{{"f:distinguisherMethod":{{"f:type":{{}}}},"f:matchingPrecedence":{{}},"f:priorityLevelConfiguration":{{"f:name":{{}}}},"f:rules":{{}}}}}}}},"#,
            r#"{{"manager":"api-priority-and-fairness-config-consumer-v1","operation":"Apply","apiVersion":"flowcontrol.apiserver.k8s.io/v1","time":"2026-03-01T08:15:31Z","#,
            r#""fieldsType":"FieldsV1","fieldsV1":{{"f:status":{{"f:conditions":{{"k:{{\"type\":\"Dangling\"}}":{{".":{{}},"f:lastTransitionTime":{{}},"f:message":{{}},"f:reason":{{}},"f:status":{{}},"f:type":{{}}}}}}}}}},"subresource":"status"}}]}},"#,
            r#""spec":{{"priorityLevelConfiguration":{{"name":"workload-low"}},"matchingPrecedence":{},"distinguisherMethod":{{"type":"ByUser"}},"#,
            r#""rules":[{{"subjects":[{{"kind":"ServiceAccount","serviceAccount":{{"namespace":"team-{}","name":"controller"}}}},{{"kind":"Group","group":{{"name":"team-{}"}}}}],"#,
            r#""resourceRules":[{{"verbs":["get","list","watch"],"apiGroups":["apps"],"resources":["deployments","replicasets"],"namespaces":["*"]}}],"#,
            r#""nonResourceRules":[{{"verbs":["get"],"nonResourceURLs":["/healthz"]}}]}}]}},"#,
            r#""status":{{"conditions":[{{"type":"Dangling","status":"False","lastTransitionTime":"2026-03-01T08:15:31Z","reason":"Found","#,
            r#""message":"This FlowSchema references the PriorityLevelConfiguration object named \"workload-low\" and it exists"}}]}}}}"#,
        ),
        type_meta,
        index,
        index,
        version,
        index % 40,
        index,
        precedence,
        index % 40,
        index % 40
    )
}
