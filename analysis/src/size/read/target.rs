//! Clients and levels of an intents file.

use crate::fields::Problems;
use crate::fields::{Mapping, shown, text};
use crate::recipes::Client;
use crate::size::intents::Target;
use k8s_flowcontrol_text::{Content, Node};

const KNOWN: [&str; 5] = ["user", "groups", "group", "serviceAccount", "namespace"];

/// The client or the level of an intent.
pub(super) fn target(fields: &Mapping<'_>, problems: &mut Problems<'_>) -> Option<Target> {
    match (fields.get("client"), fields.get("level")) {
        (Some(node), None) => {
            let client = client(node, &fields.path_of("client"), problems);
            client.map(Target::Client)
        }
        (None, Some(_)) => fields.text("level", problems).map(Target::Level),
        _ => {
            problems.add(fields.offset, &fields.path, "give either client or level");
            None
        }
    }
}

/// The clients of a list.
pub(super) fn clients(
    fields: &Mapping<'_>,
    name: &str,
    problems: &mut Problems<'_>,
) -> Vec<Client> {
    let (Some(node), path) = (fields.get(name), fields.path_of(name)) else {
        return Vec::new();
    };
    let Content::Array(items) = node.content() else {
        let message = format!("expected a list of clients, not {}", shown(node));
        problems.add(node.span().start, &path, message);
        return Vec::new();
    };
    let items = items.iter().enumerate();
    items
        .filter_map(|(index, item)| client(item, &format!("{path}[{index}]"), problems))
        .collect()
}

fn client(node: Node<'_>, path: &str, problems: &mut Problems<'_>) -> Option<Client> {
    let fields = Mapping::read(node, path, &KNOWN, problems)?;
    let user = fields.text("user", problems);
    let group = fields.text("group", problems);
    let namespace = fields.text("namespace", problems);
    let account = fields.read_with("serviceAccount", problems, |node| {
        let name = text(node)?;
        let parts = name.split_once('/').filter(|(namespace, name)| {
            !namespace.is_empty() && !name.is_empty() && !name.contains('/')
        });
        let parts = parts.map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
        parts.ok_or_else(|| format!("expected NAMESPACE/NAME, not {name:?}"))
    });
    let groups = fields.read_with("groups", problems, |node| match node.content() {
        Content::Array(groups) => groups.iter().map(text).collect::<Result<Vec<_>, _>>(),
        _ => Err(format!("expected a list of groups, not {}", shown(node))),
    });
    if groups.is_some() && user.is_none() {
        problems.add(
            fields.offset,
            path,
            "groups are those of a user; give user, too",
        );
    }
    let given = ["user", "group", "serviceAccount", "namespace"];
    let given = given
        .iter()
        .filter(|name| fields.get(name).is_some())
        .count();
    if given != 1 {
        let message = "give exactly one of user, group, serviceAccount and namespace";
        problems.add(fields.offset, path, message);
        return None;
    }
    if let Some(name) = user {
        return Some(Client::User { name, groups });
    }
    let account = account.map(|(namespace, name)| match name.as_str() {
        "*" => Client::Namespace(namespace),
        _ => Client::ServiceAccount { namespace, name },
    });
    group
        .map(Client::Group)
        .or(namespace.map(Client::Namespace))
        .or(account)
}
