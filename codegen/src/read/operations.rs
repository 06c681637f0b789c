//! From a document's paths to its operations.

use super::kinds;
use super::references::References;
use crate::documents::Document;
use crate::error::Error;
use crate::format::Format;
use crate::json::Node;
use crate::model::{Content, Key, Operation, Parameter};
use std::sync::Arc;

const METHODS: [(&str, &str); 8] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
];

/// The maximum of references in a row.
const MAX_REFERENCES: usize = 32;

impl References<'_> {
    /// Reads the operations of a document in its order.
    pub(super) fn operations(&mut self, document: &Arc<Document>) -> Result<Vec<Operation>, Error> {
        let mut operations = Vec::new();
        let paths = document.root().get("paths");
        let Some(paths) =
            paths.filter(|_| matches!(document.format, Format::OpenApi3 | Format::Swagger2))
        else {
            return Ok(operations);
        };
        for (path, item) in paths.fields()? {
            if path.starts_with("x-") {
                continue;
            }
            if let Some(reference) = item.get("$ref") {
                return Err(reference
                    .error("a reference in place of a path's operations is not supported")
                    .help("write the operations in place of the reference"));
            }
            for (name, node) in item.fields()? {
                let Some((_, method)) = METHODS.iter().find(|(n, _)| *n == name) else {
                    continue;
                };
                operations.push(self.operation(document, path, &item, method, &node)?);
            }
        }
        Ok(operations)
    }

    fn operation(
        &mut self,
        document: &Arc<Document>,
        path: &str,
        item: &Node<'_>,
        method: &'static str,
        node: &Node<'_>,
    ) -> Result<Operation, Error> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut body = None;
        for list in [item.get("parameters"), node.get("parameters")]
            .into_iter()
            .flatten()
        {
            for entry in list.elements()? {
                self.follow(document, &entry, |references, document, node| {
                    // Swagger 2 lists the body among the parameters.
                    if node.string_of("in")? == Some("body") {
                        body = Some(references.content(document, node)?);
                        return Ok(());
                    }
                    let parameter = parameter(node)?;
                    // An operation's own parameter replaces the same parameter of its path.
                    parameters.retain(|p| {
                        (&p.name, &p.location) != (&parameter.name, &parameter.location)
                    });
                    parameters.push(parameter);
                    Ok(())
                })?;
            }
        }
        if let Some(request) = node.get("requestBody") {
            body = Some(self.follow(document, &request, Self::content)?);
        }
        let mut responses = Vec::new();
        let all = node.get("responses").map(|all| all.fields()).transpose()?;
        for (code, response) in all.unwrap_or_default() {
            // `default` does not have a status code.
            if code == "default" || code.starts_with("x-") {
                continue;
            }
            let Some(number) = code.parse::<u16>().ok().filter(|n| (100..600).contains(n)) else {
                return Err(response
                    .error(format!("`{code}` is not an HTTP status code"))
                    .help("give a number from 100 to 599, or `default`"));
            };
            responses.push((number, self.follow(document, &response, Self::content)?));
        }
        let text = |name| Ok(node.string_of(name)?.unwrap_or_default().to_owned());
        Ok(Operation {
            method,
            path: path.to_owned(),
            action: text("x-kubernetes-action")?,
            kind: kinds::of(node)?.into_iter().next(),
            deprecated: node.flag("deprecated")?,
            description: text("description")?,
            parameters,
            body,
            responses,
        })
    }

    /// Follows references from `node` and reads the value, which may be in another document.
    pub(super) fn follow<R>(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
        read: impl FnOnce(&mut Self, &Arc<Document>, &Node<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Some(reference) = node.get("$ref") else {
            return read(self, document, node);
        };
        let (mut target, mut tokens) =
            self.documents
                .resolve(document, reference.string()?, &reference.at)?;
        for _ in 0..MAX_REFERENCES {
            let Some(value) = target.find(&tokens) else {
                break;
            };
            let Some(next) = value.get("$ref") else {
                return read(self, &target, &value);
            };
            (target, tokens) = self.documents.resolve(&target, next.string()?, &next.at)?;
        }
        Err(node
            .error("the references lead in a cycle")
            .help("replace one of them by its value"))
    }

    /// The body of a request or response: in OpenAPI v3 by media type, in Swagger 2 with one schema.
    fn content(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Content, Error> {
        let mut schemas: Vec<Node<'_>> = node.get("schema").into_iter().collect();
        if let Some(all) = node.get("content") {
            let types = all.fields()?;
            schemas.extend(types.iter().filter_map(|(_, value)| value.get("schema")));
        }
        let mut content = Content::default();
        for schema in schemas {
            if content.schema.is_none() {
                content.schema = self.named(document, &schema)?;
            }
        }
        Ok(content)
    }

    /// The named schema that the schema of a body refers to.
    fn named(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Option<Key>, Error> {
        if let Some(reference) = node.get("$ref") {
            return self.key(document, reference.string()?, &reference.at);
        }
        let all = node.get("allOf").map(|all| all.elements()).transpose()?;
        match all.as_deref() {
            Some([one]) => self.named(document, one),
            _ => Ok(None),
        }
    }
}

fn parameter(node: &Node<'_>) -> Result<Parameter, Error> {
    let text = |name: &str| {
        node.string_of(name)?.map(str::to_owned).ok_or_else(|| {
            node.error(format!("the parameter has no `{name}`"))
                .help("give every parameter `name` and `in`")
        })
    };
    Ok(Parameter {
        name: text("name")?,
        location: text("in")?,
    })
}
