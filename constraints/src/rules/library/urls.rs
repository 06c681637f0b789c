//! The functions of URLs.

use super::url::Url;
use super::{
    Answer, STRING_TYPE, argument, boolean, fails, functions, methods, string, text, value,
};
use cel::Env;
use cel::common::types::{CelList, CelMap, CelMapKey, CelString};
use cel::common::value::{CowVal, Val};
use std::collections::HashMap;

value!(
    /// A URL.
    Address(Url), URL, "kubernetes.URL"
);

pub(super) fn add_to(env: &mut Env) {
    let _ = env.add_type(URL.to_owned());
    functions(
        env,
        vec![
            ("url", "string_to_url", vec![&STRING_TYPE], |args| {
                let words = "URL parse error during conversion from string: ";
                let url = Url::parse(text(&args, 0)?)
                    .map_err(|error| fails(format!("{words}{error}")))?;
                Ok(CowVal::owned(Address(url)))
            }),
            ("isURL", "is_url_string", vec![&STRING_TYPE], |args| {
                boolean(Url::check_request(text(&args, 0)?).is_ok())
            }),
        ],
    );
    methods(
        env,
        vec![
            ("getScheme", "url_get_scheme", vec![&URL], |args| {
                string(argument::<Address>(&args, 0)?.0.scheme.as_str())
            }),
            ("getHost", "url_get_host", vec![&URL], |args| {
                string(argument::<Address>(&args, 0)?.0.host.as_str())
            }),
            ("getHostname", "url_get_hostname", vec![&URL], |args| {
                string(argument::<Address>(&args, 0)?.0.hostname())
            }),
            ("getPort", "url_get_port", vec![&URL], |args| {
                string(argument::<Address>(&args, 0)?.0.host_and_port().1)
            }),
            (
                "getEscapedPath",
                "url_get_escaped_path",
                vec![&URL],
                |args| string(argument::<Address>(&args, 0)?.0.escaped_path.as_str()),
            ),
            ("getQuery", "url_get_query", vec![&URL], |args| {
                query(&argument::<Address>(&args, 0)?.0)
            }),
        ],
    );
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
