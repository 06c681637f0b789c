//! The group and a version as strings that a program puts together: fields of a `GroupVersionResource`, arguments of a call, a
//! path of several strings, or constants that are defined elsewhere.
//!
//! `tokens` splits a text of any language, `folded` puts strings together, `definitions` finds the values of names, and
//! `versions` finds the versions that belong to the group, some of them in the `values` of names. `context` finds versions by the names around them.

mod context;
mod definitions;
mod folded;
mod tokens;
mod values;
mod versions;

pub(super) use context::versions_in_context;
pub(super) use tokens::floor;
pub(crate) use versions::Links;
pub(super) use versions::versions_of_group;
#[cfg(feature = "files")]
pub(super) use versions::versions_of_names;

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_flowcontrol_types::GROUP;
    use std::collections::BTreeSet;

    fn found(text: &str) -> Vec<&str> {
        let (found, _) = versions_of_group(text, false, &BTreeSet::new(), &["v1beta2"]);
        found.iter().map(|(span, _)| &text[span.range()]).collect()
    }

    #[test]
    fn the_version_may_stand_before_or_after_the_group() {
        let group = format!("\"{GROUP}\"");
        for text in [
            format!("{{\n\tGroup:    {group},\n\tVersion:  \"v1beta2\",\n}}"),
            format!("{{Group: {group}, Resource: r, Version: \"v1beta2\"}}"),
            format!("{{Version: \"v1beta2\", Group: {group}}}"),
            format!("gvk({group}, \"v1beta2\", \"FlowSchema\")"),
            format!("{{\"group\": {group}, \"version\": \"v1beta2\"}}"),
            format!("{{'version': 'v1beta2', 'group': '{GROUP}'}}"),
            format!("list(group={group}, version=\"v1beta2\")"),
            format!("  group = {group}\n  version = \"v1beta2\"\n"),
            format!("group: {GROUP}\n    resource: r\n    version: v1beta2\n"),
            format!("b.withGroup({group})\n  .withVersion(\"v1beta2\")"),
            format!("url = {group} + \"/v1beta2/flowschemas\""),
            format!("const g1 = {group}\nx := gvr{{Group: g1, Version: \"v1beta2\"}}"),
            format!("const g1 string = {group}\nx := gvr(g1, \"v1beta2\")"),
            format!("pub const G1: &str = {group};\nlet x = gvk(G1, \"v1beta2\", KIND);"),
            format!("static final String G1 = {group};\nString x = G1 + \"/v1beta2\";"),
            format!("g1 = {group}\nlist(group=g1, version=\"v1beta2\")\n"),
        ] {
            assert_eq!(found(&text), ["v1beta2"], "{text}");
        }
        for text in [
            format!("{{Group: {group}}}, {{Group: \"x\", Version: \"v1beta2\"}}"),
            format!("{{Group: \"x\", Version: \"v1beta2\"}}, {{Group: {group}}}"),
            format!("f({group})\ng(\"v1beta2\")"),
            format!("a = {group}\nb = \"v1beta2\"\n"),
            format!("{{Group: {group}, Resource: \"r\", Version: \"v1beta2\"}}")
                .replace("Version", "X"),
            format!("x {GROUP}, \"v1beta2\""),
            format!("const g1 = {group}\nx := gvr{{Group: g12, Version: \"v1beta2\"}}"),
            format!("const g1 = {group}\nx := f(g1)\ny := g(\"v1beta2\")"),
            format!("url = {group} + \"/v1beta2x\""),
            format!("group: {GROUP}\nname: v1beta2\n"),
            format!("group: {GROUP}\n}} version: v1beta2\n"),
        ] {
            assert!(found(&text).is_empty(), "{text}");
        }
    }
}
