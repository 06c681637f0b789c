//! The older of two API servers: it does not serve the newest version of a group that has several.

use super::shared::Shared;
use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap};
use serde_json::Value;
use std::collections::HashMap;

/// Whether the older server responds with 404 to this path.
pub(super) async fn lacks(shared: &Shared, path: &str, headers: &HeaderMap) -> bool {
    let mut parts = path.strip_prefix("/apis/").unwrap_or_default().split('/');
    let (Some(group), Some(version)) = (parts.next(), parts.next()) else {
        return false;
    };
    hidden(shared, headers)
        .await
        .get(group)
        .is_some_and(|hidden| hidden == version)
}

/// Whether the document at this path differs between the servers.
pub(super) fn is_document(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    path == "/version"
        || path == "/apis"
        || path
            .strip_prefix("/apis/")
            .is_some_and(|rest| !rest.contains('/'))
}

/// The document of the older server; `None` if it is the same, or not JSON.
pub(super) async fn document(shared: &Shared, headers: &HeaderMap, body: &[u8]) -> Option<Vec<u8>> {
    let mut document: Value = serde_json::from_slice(body).ok()?;
    if let Some(minor) = document["minor"]
        .as_str()
        .and_then(|text| text.parse::<u32>().ok())
    {
        let before = minor.saturating_sub(1);
        let git = document["gitVersion"].as_str().unwrap_or_default();
        document["gitVersion"] = git
            .replacen(&format!(".{minor}."), &format!(".{before}."), 1)
            .into();
        document["minor"] = before.to_string().into();
        return serde_json::to_vec(&document).ok();
    }
    let hidden = hidden(shared, headers).await;
    match document["kind"].as_str() {
        Some("APIGroup") => hide(&mut document, hidden),
        Some("APIGroupList") => {
            let groups = document["groups"].as_array_mut()?;
            groups.iter_mut().for_each(|group| hide(group, hidden));
        }
        Some("APIGroupDiscoveryList") => {
            for group in document["items"].as_array_mut()? {
                let name = group["metadata"]["name"].as_str().unwrap_or_default();
                let hidden = hidden.get(name).cloned();
                if let Some(versions) = group["versions"].as_array_mut() {
                    versions.retain(|version| version["version"].as_str() != hidden.as_deref());
                }
            }
        }
        _ => return None,
    }
    serde_json::to_vec(&document).ok()
}

fn hide(group: &mut Value, hidden: &HashMap<String, String>) {
    let name = group["name"].as_str().unwrap_or_default();
    let Some(hidden) = hidden.get(name) else {
        return;
    };
    if let Some(versions) = group["versions"].as_array_mut() {
        versions.retain(|version| version["version"].as_str() != Some(hidden));
        let first = versions.first().cloned();
        group["preferredVersion"] = first.unwrap_or_default();
    }
}

/// The newest version of each group that has several. The request for it has the credentials of a client.
async fn hidden<'a>(shared: &'a Shared, headers: &HeaderMap) -> &'a HashMap<String, String> {
    let read = || async {
        let mut request = Request::get("/apis").header(header::ACCEPT, "application/json");
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            request = request.header(header::AUTHORIZATION, value);
        }
        let request = request.body(Bytes::new()).map_err(|_| ())?;
        let response = shared.upstream.send(request).await.map_err(|_| ())?;
        let body = response.into_body().collect().await.map_err(|_| ())?;
        let list: Value = serde_json::from_slice(&body.to_bytes()).map_err(|_| ())?;
        let groups = list["groups"].as_array().ok_or(())?;
        let newest = groups.iter().filter_map(|group| {
            let versions = group["versions"]
                .as_array()
                .filter(|versions| versions.len() > 1)?;
            let newest = versions[0]["version"].as_str()?;
            Some((group["name"].as_str()?.to_owned(), newest.to_owned()))
        });
        Ok::<_, ()>(newest.collect())
    };
    static NONE: std::sync::LazyLock<HashMap<String, String>> =
        std::sync::LazyLock::new(HashMap::new);
    shared.hidden.get_or_try_init(read).await.unwrap_or(&NONE)
}
