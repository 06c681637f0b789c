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
