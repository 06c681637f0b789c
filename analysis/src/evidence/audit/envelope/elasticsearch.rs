//! Elasticsearch and OpenSearch.
//!
//! Sources: the reference of Elasticsearch, "Search API" (`hits.hits[]` with `_source`) and "Bulk API" (a line with the action `index`,
//! `create`, `update` or `delete`, then the document); exported documents (`elasticdump`) are hits, one per line.

use super::content::Content;
use super::record::Record;

pub(super) const FIELDS: &[&str] = &[
    "_index", "_source", "create", "delete", "hits", "index", "update",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    if let Some(document) = record.json("_source") {
        return Some(Content::Value(document));
    }
    if let Some(hits) = record.json("hits") {
        return Some(Content::List(hits));
    }
    let actions = ["index", "create", "update", "delete"];
    let is_action = |name: &&str| record.json(name).is_some_and(|json| json.starts_with('{'));
    let action = actions.iter().find(|name| is_action(name));
    action.map(|_| Content::Nothing)
}
