//! The sorts of requests of a log, each of them once.

use crate::simulation::Shape;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::seats::Stored;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Shapes, with their classes in a recording.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    all: Vec<Shape>,
    classes: Vec<u32>,
    /// By hash, so that no request of a known shape is copied.
    known: HashMap<u64, Vec<u32>>,
}

impl Shapes {
    /// The shape of a request, if an earlier request had the same.
    pub(super) fn find(&self, attributes: &RequestAttributes, query: &str) -> Option<u32> {
        let same = self.known.get(&hash(attributes, query))?.iter();
        let key = key(attributes, query);
        let mut same = same.copied().filter(|shape| {
            let shape = &self.all[*shape as usize];
            self::key(&shape.attributes, &shape.query) == key
        });
        same.next()
    }

    /// Adds a shape with its class.
    pub(super) fn add(
        &mut self,
        (mut attributes, query, stored): (RequestAttributes, String, Stored),
        class: u32,
    ) -> u32 {
        let shape = self.all.len() as u32;
        let hash = hash(&attributes, &query);
        if !is_list(&attributes) {
            attributes.name.clear();
        }
        if attributes.is_resource_request {
            attributes.path.clear();
        }
        self.known.entry(hash).or_default().push(shape);
        self.classes.push(class);
        self.all.push(Shape {
            attributes,
            query,
            stored,
        });
        shape
    }

    pub(super) fn class(&self, shape: u32) -> u32 {
        self.classes[shape as usize]
    }

    /// The shapes, and their classes.
    pub(super) fn into_parts(self) -> (Vec<Shape>, Vec<u32>) {
        (self.all, self.classes)
    }
}

/// What distinguishes a request from others: everything on which its level, flow, seats and deadline depend.
fn key<'a>(attributes: &'a RequestAttributes, query: &'a str) -> impl Hash + PartialEq + use<'a> {
    let RequestAttributes {
        user,
        verb,
        is_resource_request,
        api_group,
        resource,
        subresource,
        namespace,
        name,
        path,
    } = attributes;
    let name = is_list(attributes).then_some(name);
    let path = (!is_resource_request).then_some(path);
    (
        (&user.name, &user.groups, verb, is_resource_request),
        (api_group, resource, subresource, namespace),
        (name, path, query),
    )
}

fn hash(attributes: &RequestAttributes, query: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key(attributes, query).hash(&mut hasher);
    hasher.finish()
}

fn is_list(attributes: &RequestAttributes) -> bool {
    matches!(attributes.verb.as_str(), "list" | "watch")
}

/// The parameters of a query on which seats and deadlines depend, without the values that do not matter.
pub(super) fn relevant(attributes: &RequestAttributes, query: &str) -> String {
    let lists = is_list(attributes);
    let mut kept = String::new();
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = match name {
            "timeout" => value,
            _ if !lists => continue,
            "limit" | "resourceVersionMatch" | "sendInitialEvents" | "watch" => value,
            "resourceVersion" if matches!(value, "" | "0") => value,
            "resourceVersion" => "1",
            "continue" | "labelSelector" | "fieldSelector" if !value.is_empty() => "x",
            "timeoutSeconds" if value.parse::<i64>().is_err() => value,
            _ => continue,
        };
        let separator = if kept.is_empty() { "" } else { "&" };
        kept.push_str(&format!("{separator}{name}={value}"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_flowcontrol_rules::matching::User;

    fn request(verb: &str, path: &str) -> RequestAttributes {
        let mut request = RequestAttributes::from_http("GET", path, User::named("alice")).unwrap();
        request.verb = verb.to_owned();
        request
    }

    #[test]
    fn names_distinguish_lists_alone_and_paths_other_requests() {
        let mut shapes = Shapes::default();
        let mut add = |request: &RequestAttributes, query: &str| {
            let found = shapes.find(request, query);
            found.unwrap_or_else(|| {
                shapes.add((request.clone(), query.to_owned(), Stored::NotFound), 0)
            })
        };
        let pods = "/api/v1/namespaces/n/pods";
        let shapes = [
            add(&request("get", &format!("{pods}/a")), ""),
            add(&request("get", &format!("{pods}/b")), ""),
            add(&request("list", &format!("{pods}/a")), ""),
            add(&request("list", &format!("{pods}/b")), ""),
            add(&request("list", &format!("{pods}/b")), "limit=1"),
            add(&request("get", "/metrics"), ""),
            add(&request("get", "/version"), ""),
            add(&request("list", &format!("{pods}/a")), ""),
        ];
        assert_eq!(shapes, [0, 0, 1, 2, 3, 4, 5, 1]);
    }

    #[test]
    fn queries_keep_what_changes_seats() {
        let query = "limit=500&continue=abc&resourceVersion=123&timeoutSeconds=7&pretty=1";
        assert_eq!(
            relevant(&request("list", "/api/v1/pods"), query),
            "limit=500&continue=x&resourceVersion=1"
        );
        assert_eq!(
            relevant(&request("get", "/api/v1/pods/a"), "timeout=5s&limit=1"),
            "timeout=5s"
        );
    }
}
