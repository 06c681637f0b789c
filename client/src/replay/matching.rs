//! Comparing a request with the recorded ones.

use super::exchange::{Exchange, Request};
use super::value;
use serde_json::Value;
use std::borrow::Cow;
use url::form_urlencoded;

/// The first difference of two requests, and how much they differ; `None` if they are equal.
pub(super) fn difference(recorded: &Request, sent: &Request) -> Option<(String, usize)> {
    let parts = [
        method(recorded, sent),
        path(recorded, sent),
        query(recorded, sent),
        header("Accept", &recorded.accept, &sent.accept),
        header("Content-Type", &recorded.content_type, &sent.content_type),
        body(&recorded.body, &sent.body),
    ];
    let distance = parts.iter().flatten().map(|(_, distance)| distance).sum();
    let first = parts.into_iter().flatten().next();
    first.map(|(text, _)| (text, distance))
}

/// The recorded request that differs least, with the difference.
pub(super) fn nearest<'a>(
    exchanges: impl Iterator<Item = &'a Exchange>,
    sent: &Request,
) -> Option<(&'a Exchange, String)> {
    let compared = exchanges.map(|exchange| {
        let found = difference(&exchange.request, sent);
        (exchange, found.unwrap_or_default())
    });
    let nearest = compared.min_by_key(|(_, (_, distance))| *distance);
    nearest.map(|(exchange, (text, _))| (exchange, text))
}

type Difference = Option<(String, usize)>;

fn method(recorded: &Request, sent: &Request) -> Difference {
    (recorded.method != sent.method).then(|| ("the method differs".to_owned(), 8))
}

fn path(recorded: &Request, sent: &Request) -> Difference {
    if recorded.path == sent.path {
        return None;
    }
    let (left, right) = (recorded.path.split('/'), sent.path.split('/'));
    let equal = left
        .clone()
        .zip(right.clone())
        .take_while(|(left, right)| left == right);
    let longest = left.count().max(right.count());
    Some(("the path differs".to_owned(), 4 * (longest - equal.count())))
}

fn query(recorded: &Request, sent: &Request) -> Difference {
    let (recorded, sent) = (parameters(&recorded.query), parameters(&sent.query));
    let different = |(left, right): &(&Vec<Parameter<'_>>, &Vec<Parameter<'_>>)| {
        let mut names = left
            .iter()
            .filter(|one| !right.contains(one))
            .map(|(name, _)| name.to_string());
        names.next()
    };
    let name = different(&(&recorded, &sent)).or_else(|| different(&(&sent, &recorded)))?;
    let value = |parameters: &[Parameter<'_>]| {
        let values = parameters.iter().filter(|(own, _)| **own == *name);
        let values: Vec<_> = values.map(|(_, value)| format!("`{value}`")).collect();
        match values.is_empty() {
            true => "none".to_owned(),
            false => values.join(", "),
        }
    };
    let text = format!(
        "the query parameter `{name}` differs: recorded {}, sent {}",
        value(&recorded),
        value(&sent)
    );
    Some((text, 2))
}

type Parameter<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The parameters, sorted, without `timeoutSeconds`, which watchers choose at random.
fn parameters(query: &str) -> Vec<Parameter<'_>> {
    let parsed = form_urlencoded::parse(query.as_bytes());
    let mut parameters: Vec<_> = parsed
        .filter(|(name, _)| name != "timeoutSeconds")
        .collect();
    parameters.sort();
    parameters
}

fn header(name: &str, recorded: &str, sent: &str) -> Difference {
    let text = || format!("the header {name} differs: recorded `{recorded}`, sent `{sent}`");
    (recorded != sent).then(|| (text(), 1))
}

/// Compares JSON by value. The text contains no value, because bodies may contain anything.
fn body(recorded: &str, sent: &str) -> Difference {
    if recorded == sent {
        return None;
    }
    let parsed = |text: &str| value::read(text.as_bytes()).ok();
    let place = match (parsed(recorded), parsed(sent)) {
        (Some(recorded), Some(sent)) => place(&recorded, &sent)?,
        _ => String::new(),
    };
    let text = match place.as_str() {
        "" => "the body differs".to_owned(),
        place => format!("the body differs at {place}"),
    };
    Some((text, 1))
}

/// The JSON pointer of the first different value.
fn place(recorded: &Value, sent: &Value) -> Option<String> {
    match (recorded, sent) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left
                .keys()
                .chain(right.keys().filter(|name| !left.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let found = match (left.get(name), right.get(name)) {
                    (Some(left), Some(right)) => place(left, right)?,
                    _ => String::new(),
                };
                Some(format!(
                    "/{}{found}",
                    name.replace('~', "~0").replace('/', "~1")
                ))
            })
        }
        (Value::Array(left), Value::Array(right)) => {
            let pairs = left.iter().zip(right).enumerate();
            let mut found = pairs.filter_map(|(index, (left, right))| {
                Some(format!("/{index}{}", place(left, right)?))
            });
            let shorter = left.len().min(right.len());
            found
                .next()
                .or_else(|| (left.len() != right.len()).then(|| format!("/{shorter}")))
        }
        _ => (recorded != sent).then(String::new),
    }
}
