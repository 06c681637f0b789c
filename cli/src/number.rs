//! Whole numbers on the command line, whose errors name the range.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// A parser of numbers in a range.
pub(crate) fn number<T>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(first), Bound::Included(last)) => {
                format!("expected a whole number from {first} to {last}")
            }
            (Bound::Included(first), _) => {
                format!("expected a whole number of at least {first}")
            }
            _ => "expected a whole number".to_owned(),
        })
    }
}
