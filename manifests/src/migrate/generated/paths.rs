//! Paths of generated code and of the types of client libraries.

/// The names of the group's types, as files of client libraries have them.
const TYPES: [&str; 14] = [
    "exemptpriority",
    "flowdistinguisher",
    "flowschema",
    "groupsubject",
    "limitedpriority",
    "limitresponse",
    "nonresourcepolicyrule",
    "policyrules",
    "prioritylevel",
    "queuingconfiguration",
    "resourcepolicyrule",
    "serviceaccountsubject",
    "subject",
    "usersubject",
];

/// Whether a path is that of generated code, of a list of files, or of a client library's own types of an old version.
pub(super) fn is_generated(path: &str) -> bool {
    let path = path.to_ascii_lowercase().replace('\\', "/");
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let folders = [
        "/_gen/",
        "/generated/",
        "/third_party/",
        "/site-packages/",
        "/__snapshots__/",
    ];
    name.starts_with("zz_generated")
        || name.contains(".generated.")
        || name.ends_with(".pb.go")
        || name.ends_with(".map")
        || name.ends_with(".jsii")
        || name.starts_with("flowcontrolapiserver")
        || name.starts_with("flowcontrol_apiserver")
        || folder.ends_with(".dist-info")
        || folder.ends_with(".egg-info")
        || folders
            .iter()
            .any(|folder| format!("/{path}").contains(folder))
        || !is_manifest(name) && (is_module(&path) || is_type(name) || is_operation(folder, name))
}

/// Whether objects may be in a file of this name.
fn is_manifest(name: &str) -> bool {
    [".yaml", ".yml", ".json", ".tpl", ".tmpl"]
        .iter()
        .any(|extension| name.ends_with(extension))
}

/// Whether a client library has the types of a version at a path: `flowcontrol/v1beta3/types.go` or `flowcontrol/v1beta3.d.ts`.
fn is_module(path: &str) -> bool {
    ["flowcontrol/v", "flowcontrol.apiserver.k8s.io/v"]
        .iter()
        .any(|group| {
            path.match_indices(group).any(|(at, found)| {
                let rest = &path[at + found.len()..];
                version(rest).is_some_and(|after| after.starts_with(['/', '.']))
            })
        })
}

/// Whether a file is named for an operation or a path of a version: `ReadFlowcontrolApiserverV1beta3FlowSchema.kt`,
/// `io.k8s.api.flowcontrol.v1beta1.FlowSchemaSpec.dhall`, `paths/apis_flowcontrol_apiserver_k8s_io_v1beta2_flowschemas/get.py`.
fn is_operation(folder: &str, name: &str) -> bool {
    let has = |text: &str, group: &str| {
        let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        plain
            .match_indices(group)
            .any(|(at, _)| version(&plain[at + group.len()..]).is_some())
    };
    let mut parts = folder.split('/').filter(|part| part.starts_with("apis"));
    has(name, "flowcontrolapiserverv")
        || name.starts_with("io.k8s.") && has(name, "iok8sapiflowcontrolv")
        || parts.any(|part| has(part, "flowcontrolapiserverk8siov"))
}

/// Whether a file is named for a type of a version: `V1beta1FlowSchema.java`, `v1beta1_flow_schema.py`,
/// `IoK8sApiFlowcontrolV1beta1FlowSchema.ts`.
fn is_type(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let stem: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
    let stem = stem.strip_prefix("iok8sapi").unwrap_or(&stem);
    let stem = stem.strip_prefix("flowcontrol").unwrap_or(stem);
    let Some(kind) = stem.strip_prefix('v').and_then(version) else {
        return false;
    };
    kind == "api" || TYPES.iter().any(|name| kind.starts_with(name))
}

/// The rest after an old version without its `v`, such as `1beta3`.
fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('1')?;
    let rest = rest
        .strip_prefix("alpha")
        .or_else(|| rest.strip_prefix("beta"))?;
    let rest = rest.strip_prefix(|digit: char| digit.is_ascii_digit())?;
    Some(rest)
}
