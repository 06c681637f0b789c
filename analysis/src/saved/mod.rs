//! JSON files in which a run keeps its result for another run.

pub(crate) mod bounded;
pub(crate) mod numbers;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The fields that every version of a file has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    kind: String,
    schema_version: u32,
}

/// Whether a text is a file of another kind, or of another version, which has other fields.
pub(crate) fn is_other(text: &[u8], kind: &str, version: u32) -> bool {
    let head = serde_json::from_slice::<Head>(text);
    head.is_ok_and(|head| head.kind != kind || head.schema_version != version)
}

/// A wrong value, and the path of its field, such as `cells[0][1].requests`; empty for the whole text.
#[derive(Debug)]
pub(crate) struct WrongValue {
    pub(crate) path: String,
    pub(crate) problem: serde_json::Error,
}

/// Reads a text, all of which is one value.
pub(crate) fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, WrongValue> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().iter().next().map(|_| error.path().to_string());
        WrongValue {
            path: path.unwrap_or_default(),
            problem: error.into_inner(),
        }
    })?;
    json.end().map_err(|problem| WrongValue {
        path: String::new(),
        problem,
    })?;
    Ok(value)
}
