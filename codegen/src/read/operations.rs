//! From a document's paths to its operations.

use super::{Reader, group_version_kinds};
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

/// A value found by following references, and the document that it stands in.
struct Found {
    document: Arc<Document>,
    tokens: Vec<String>,
}

/// What is done with a value and the document that it stands in.
type Visitor<'a, R> = &'a mut dyn FnMut(&mut R, &Arc<Document>, &Node<'_>) -> Result<(), Error>;

impl Reader<'_> {
    /// Reads the operations of a document in its order.
    pub(super) fn operations(&mut self, document: &Arc<Document>) -> Result<Vec<Operation>, Error> {
        let mut operations = Vec::new();
        let Some(paths) = document.root().get("paths") else {
            return Ok(operations);
        };
        for (path, item) in paths.members()? {
            if path.starts_with("x-") {
                continue;
            }
            if let Some(reference) = item.get("$ref") {
                return Err(reference
                    .error("a reference in place of a path's operations is not supported")
                    .help("write the operations out"));
            }
            for (name, node) in item.members()? {
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
        let swagger = document.format == Format::Swagger2;
        let (root, operation) = (document, node);
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut body = None;
        for list in [item.get("parameters"), node.get("parameters")]
            .into_iter()
            .flatten()
        {
            for entry in list.elements()? {
                self.visit(document, &entry, &mut |reader, document, node| {
                    if swagger && node.string_of("in")? == Some("body") {
                        let schema = node
                            .get("schema")
                            .map(|s| reader.short(document, &s))
                            .transpose()?;
                        let media_types = media_types(root, operation, "consumes")?;
                        body = Some(Content {
                            schema: schema.flatten(),
                            media_types,
                        });
                        return Ok(());
                    }
                    let parameter = reader.parameter(document, node)?;
                    // An operation's own parameter replaces one of its path.
                    parameters.retain(|p| {
                        (&p.name, &p.location) != (&parameter.name, &parameter.location)
                    });
                    parameters.push(parameter);
                    Ok(())
                })?;
            }
        }
        if let Some(request) = node.get("requestBody") {
            self.visit(document, &request, &mut |reader, document, node| {
                body = Some(reader.content(document, node)?);
                Ok(())
            })?;
        }
        let mut responses = Vec::new();
        if let Some(all) = node.get("responses") {
            for (code, response) in all.members()? {
                // A server's other answers; no code belongs to them.
                if code == "default" || code.starts_with("x-") {
                    continue;
                }
                let Some(number) = code.parse::<u16>().ok().filter(|n| (100..600).contains(n))
                else {
                    return Err(response.error(format!("`{code}` is no HTTP status code")));
                };
                self.visit(document, &response, &mut |reader, document, node| {
                    let content = if swagger {
                        let schema = node
                            .get("schema")
                            .map(|s| reader.short(document, &s))
                            .transpose()?;
                        let media_types = match schema {
                            Some(_) => media_types(root, operation, "produces")?,
                            None => Vec::new(),
                        };
                        Content {
                            schema: schema.flatten(),
                            media_types,
                        }
                    } else {
                        reader.content(document, node)?
                    };
                    responses.push((number, content));
                    Ok(())
                })?;
            }
        }
        Ok(Operation {
            method,
            path: path.to_owned(),
            action: node
                .string_of("x-kubernetes-action")?
                .unwrap_or_default()
                .to_owned(),
            kind: group_version_kinds(node)?.into_iter().next(),
            deprecated: node.flag("deprecated")?,
            description: node
                .string_of("description")?
                .unwrap_or_default()
                .to_owned(),
            parameters,
            body,
            responses,
        })
    }

    /// Follows references from `node` and hands the value on with the document that it stands in.
    fn visit(
        &mut self,
        document: &Arc<Document>,
        node: &Node<'_>,
        visitor: Visitor<'_, Self>,
    ) -> Result<(), Error> {
        let mut found: Option<Found> = None;
        // More steps than any document needs: a cycle.
        for _ in 0..32 {
            let document = found.as_ref().map_or(document, |f| &f.document);
            let current = match &found {
                Some(f) => f.document.find(&f.tokens),
                None => Some(node.clone()),
            };
            let Some(current) = current else { break };
            let Some(reference) = current.get("$ref") else {
                return visitor(self, document, &current);
            };
            let (document, tokens) =
                self.documents
                    .resolve(document, reference.string()?, &reference.at)?;
            found = Some(Found { document, tokens });
        }
        Err(node
            .error("the references lead in a circle")
            .help("let one of them be a value"))
    }

    fn parameter(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Parameter, Error> {
        let text = |name: &str| {
            node.string_of(name)?
                .map(str::to_owned)
                .ok_or_else(|| node.error(format!("the parameter has no `{name}`")))
        };
        let mut value_type = node.string_of("type")?.unwrap_or("string").to_owned();
        if let Some(schema) = node.get("schema") {
            self.visit(document, &schema, &mut |_, _, schema| {
                value_type = schema.string_of("type")?.unwrap_or("string").to_owned();
                Ok(())
            })?;
        }
        Ok(Parameter {
            name: text("name")?,
            location: text("in")?,
            value_type,
        })
    }

    /// Reads the `content` of an OpenAPI v3 body or response.
    fn content(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Content, Error> {
        let mut content = Content::default();
        let Some(all) = node.get("content") else {
            return Ok(content);
        };
        for (media_type, value) in all.members()? {
            content.media_types.push(media_type.to_owned());
            if let (None, Some(schema)) = (&content.schema, value.get("schema")) {
                content.schema = self.short(document, &schema)?;
            }
        }
        Ok(content)
    }

    /// The named schema that a body or response refers to.
    fn short(&mut self, document: &Arc<Document>, node: &Node<'_>) -> Result<Option<Key>, Error> {
        if let Some(reference) = node.get("$ref") {
            return self
                .reference(document, reference.string()?, &reference.at)
                .map(Some);
        }
        match node
            .get("allOf")
            .map(|all| all.elements())
            .transpose()?
            .as_deref()
        {
            Some([one]) => self.short(document, one),
            _ => Ok(None),
        }
    }
}

/// The media types of a Swagger 2 operation: its own or the document's.
fn media_types(
    document: &Document,
    operation: &Node<'_>,
    name: &str,
) -> Result<Vec<String>, Error> {
    match operation.get(name) {
        Some(_) => operation.strings_of(name),
        None => document.root().strings_of(name),
    }
}
