//! The text of one object or a list, in a view.

use crate::kinds::{Kind, Version};
use crate::list::Page;
use crate::represent::{Columns, Include, View, partial, partial_list, table, table_metadata};
use crate::status::{Failure, failure};
use crate::store::Object;
use crate::texts::Texts;
use crate::wire::Wire;
use serde::Serialize;
use serde_json::{Map, Value};

/// Objects in hub form, for a client of a version.
pub(super) struct Objects {
    kind: Kind,
    version: Version,
    items: Vec<Object>,
    /// The metadata of the list, if it is a list.
    list: Option<Value>,
}

impl Objects {
    pub(super) fn one(object: &Object, kind: &Kind, version: Version) -> Self {
        Self {
            kind: kind.clone(),
            version,
            items: vec![object.clone()],
            list: None,
        }
    }

    pub(super) fn page(page: Page, kind: &Kind, version: Version) -> Self {
        let mut metadata = Map::new();
        metadata.insert("resourceVersion".into(), page.revision.to_string().into());
        if let Some(token) = page.token {
            metadata.insert("continue".into(), token.into());
        }
        if let Some(remaining) = page.remaining {
            metadata.insert("remainingItemCount".into(), remaining.into());
        }
        Self {
            kind: kind.clone(),
            version,
            items: page.items,
            list: Some(Value::Object(metadata)),
        }
    }

    /// The JSON text in a view.
    /// Errors: 406 for a view of lists of a single object, and the other way round.
    pub(super) fn text(
        &self,
        view: View,
        include: Include,
        texts: &Texts,
    ) -> Result<Vec<u8>, Failure> {
        if let (View::Whole, None, [object]) = (view, &self.list, &self.items[..]) {
            return Ok(texts.of(object, &self.kind, self.version).to_vec());
        }
        let schema = self.version.schema();
        let shown: Vec<Value> = self
            .items
            .iter()
            .map(|object| self.kind.in_version(object, self.version))
            .collect();
        let text = match (view, &self.list, &shown[..]) {
            (View::Whole, Some(metadata), _) => self.whole_list(metadata, shown),
            // The list or object without items, which does not exist, is `null`.
            (View::Whole, None, _) => serde_json::to_vec(&Value::Null),
            (View::Partial(_), Some(_), _) => return Err(self.not_one("PartialObjectMetadata")),
            (View::Partial(version), None, shown) => {
                let partial = |object| partial(object, schema, version);
                serde_json::to_vec(&shown.first().map(partial))
            }
            (View::PartialList(_), None, _) => return Err(self.not_a_list()),
            (View::PartialList(version), Some(metadata), shown) => {
                serde_json::to_vec(&partial_list(&ListMeta(metadata), shown, schema, version))
            }
            (View::Table(version), list, shown) => {
                let columns = Columns::of(&self.kind);
                let metadata = match (list, shown.first()) {
                    (Some(metadata), _) => metadata.clone(),
                    (None, object) => table_metadata(object),
                };
                let objects = self.items.iter().map(AsRef::as_ref).zip(shown);
                let metadata = ListMeta(&metadata);
                let table = table(&metadata, objects, schema, columns, version, include, true);
                serde_json::to_vec(&table)
            }
        };
        Ok(text.unwrap_or_default())
    }

    /// A list. Its items do not repeat their type.
    fn whole_list(&self, metadata: &Value, mut items: Vec<Value>) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct List<'a> {
            kind: &'static str,
            api_version: String,
            metadata: ListMeta<'a>,
            items: Vec<Wire<'a>>,
        }
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.remove("kind");
            item.remove("apiVersion");
        }
        let schema = self.version.schema();
        serde_json::to_vec(&List {
            kind: self.kind.list_kind(),
            api_version: self.version.api_version(),
            metadata: ListMeta(metadata),
            items: items.iter().map(|value| Wire { value, schema }).collect(),
        })
    }

    fn not_one(&self, asked: &str) -> Failure {
        let kind = self.kind.name();
        not_acceptable(format!(
            "you requested {asked}, but the requested object is a list (*flowcontrol.{kind}List)"
        ))
    }

    fn not_a_list(&self) -> Failure {
        let kind = self.kind.name();
        not_acceptable(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list \
             (*flowcontrol.{kind})"
        ))
    }
}

fn not_acceptable(message: String) -> Failure {
    failure(406, "NotAcceptable", message)
}

/// The metadata of a list, with its fields in Go's order.
struct ListMeta<'a>(&'a Value);

impl Serialize for ListMeta<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = ["resourceVersion", "continue", "remainingItemCount"]
            .into_iter()
            .filter_map(|name| Some((name, self.0.get(name)?)));
        serializer.collect_map(fields)
    }
}
