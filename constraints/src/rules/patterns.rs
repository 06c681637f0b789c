//! Functions with a regular expression.

use super::library::Answer;
use crate::go;
use cel::ExecutionError;
use cel::common::types::{CelInt, CelList, CelString};
use cel::common::value::{CowVal, Val};
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The compiled patterns that a thread keeps: the last ones.
const MAX_PATTERNS: usize = 16;

/// Larger patterns are not kept: the bytes of the text, of the program, and of what a search notes.
const MAX_SIZE: usize = 256 << 10;

/// The text and the pattern among the arguments.
pub(super) fn searched(
    args: &[CowVal<'_, '_>],
    name: &str,
) -> Result<(String, Rc<Regex>), ExecutionError> {
    let text = |index: usize| {
        let value = args.get(index)?.as_ref().downcast_ref::<CelString>()?;
        Some(value.inner().to_owned())
    };
    let missing = ExecutionError::missing_argument_or_target;
    let pattern = compiled(&text(1).ok_or_else(missing)?)
        .map_err(|error| ExecutionError::function_error(name, error))?;
    Ok((text(0).ok_or_else(missing)?, pattern))
}

/// A regular expression of Go's. To compile one takes far longer than to search an element of a list by it.
fn compiled(pattern: &str) -> Result<Rc<Regex>, regex::Error> {
    thread_local! {
        static KNOWN: RefCell<VecDeque<(String, Rc<Regex>)>> = const { RefCell::new(VecDeque::new()) };
    }
    KNOWN.with_borrow_mut(|all| {
        if let Some((_, known)) = all.iter().find(|(known, _)| known == pattern) {
            return Ok(Rc::clone(known));
        }
        let in_rust = go::pattern(pattern);
        let small = RegexBuilder::new(&in_rust)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .build();
        let Some(small) = small.ok().filter(|_| pattern.len() <= MAX_SIZE) else {
            return Regex::new(&in_rust).map(Rc::new);
        };
        let small = Rc::new(small);
        all.truncate(MAX_PATTERNS - 1);
        all.push_front((pattern.to_owned(), Rc::clone(&small)));
        Ok(small)
    })
}

pub(super) fn find<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let (text, pattern) = searched(&args, "find")?;
    let found = pattern.find(&text).map_or("", |found| found.as_str());
    Ok(CowVal::owned(CelString::from(found.to_owned())))
}

pub(super) fn find_all<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let (text, pattern) = searched(&args, "findAll")?;
    let most = args.get(2).and_then(|count| {
        let count = count.as_ref().downcast_ref::<CelInt>()?;
        usize::try_from(*count.inner()).ok()
    });
    let found = pattern.find_iter(&text).take(most.unwrap_or(usize::MAX));
    let found: Vec<Box<dyn Val + 'v>> = found
        .map(|found| Box::new(CelString::from(found.as_str().to_owned())) as Box<dyn Val + 'v>)
        .collect();
    Ok(CowVal::owned(CelList::from(found)))
}
