//! The functions of URLs.

use super::url::Url;
use super::{
    Answer, Overload, STRING_TYPE, argument, boolean, fails, overloads, string, text, value,
};
use cel::ExecutionError;
use cel::common::types::{CelList, CelMap, CelMapKey, CelString};
use cel::common::value::{CowVal, Val};
use std::collections::HashMap;

value!(
    /// A URL.
    Address(Url), URL, "kubernetes.URL"
);

pub(super) static OVERLOADS: &[Overload] = overloads! {
    functions:
    "url"(STRING_TYPE) => |args| {
        let words = "URL parse error during conversion from string: ";
        let url = Url::parse(text(&args, 0)?).map_err(|error| fails(format!("{words}{error}")))?;
        Ok(CowVal::owned(Address(url)))
    },
    "isURL"(STRING_TYPE) => |args| boolean(Url::check_request(text(&args, 0)?).is_ok()),
    methods:
    "getScheme"(URL) => |args| string(url(&args)?.scheme.as_str()),
    "getHost"(URL) => |args| string(url(&args)?.host.as_str()),
    "getHostname"(URL) => |args| string(url(&args)?.hostname()),
    "getPort"(URL) => |args| string(url(&args)?.host_and_port().1),
    "getEscapedPath"(URL) => |args| string(url(&args)?.escaped_path.as_str()),
    "getQuery"(URL) => |args| query(url(&args)?),
};

fn url<'a>(args: &'a [CowVal<'_, '_>]) -> Result<&'a Url, ExecutionError> {
    Ok(&argument::<Address>(args, 0)?.0)
}

/// The values of each name of the query.
fn query<'b, 'v>(url: &Url) -> Answer<'b, 'v> {
    let mut values: HashMap<CelMapKey<'v>, Vec<Box<dyn Val + 'v>>> = HashMap::new();
    for (name, value) in url.pairs() {
        let value = Box::new(CelString::from(value));
        values.entry(CelMapKey::from(name)).or_default().push(value);
    }
    let boxed = |(name, values)| {
        let values: Box<dyn Val + 'v> = Box::new(CelList::from(values));
        (name, values)
    };
    let map: HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> = values.into_iter().map(boxed).collect();
    Ok(CowVal::owned(CelMap::from(map)))
}
