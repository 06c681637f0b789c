//! Whether the pages of a list lead to an end.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// The most pages of one list.
const MAX_PAGES: usize = 100_000;
/// The most pages without an item in a row.
const MAX_EMPTY_PAGES: u32 = 1_000;

/// Follows the pages of one list, and detects a list that does not end.
///
/// A server that repeats a continue token, or sends new ones forever, would otherwise keep a program busy until it runs out of memory.
/// Pages, items, watchers and stores of this crate use it; it is public for programs that page through
/// [raw](crate::client::Client::get_raw) responses.
///
/// ```
/// use k8s_flowcontrol::client::ListProgress;
///
/// let mut list = ListProgress::default();
/// assert_eq!(list.page(Some("page2"), 500), Ok(true));
/// assert!(list.page(Some("page2"), 500).is_err());
/// ```
#[derive(Clone, Default)]
pub struct ListProgress {
    /// Hashes: a token may be as long as a response.
    tokens: HashSet<u64>,
    hasher: RandomState,
    empty_pages: u32,
}

impl ListProgress {
    /// Notes a page with its continue token and the number of its items. Returns whether another page follows.
    ///
    /// # Errors
    /// If the token is repeated, after 100,000 pages, and after 1,000 consecutive pages without an item.
    pub fn page(&mut self, token: Option<&str>, items: usize) -> Result<bool, EndlessList> {
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Ok(false);
        };
        self.empty_pages = match items {
            0 => self.empty_pages + 1,
            _ => 0,
        };
        if self.empty_pages > MAX_EMPTY_PAGES {
            return Err(EndlessList::EmptyPages);
        }
        if self.tokens.len() >= MAX_PAGES {
            return Err(EndlessList::Pages);
        }
        match self.tokens.insert(self.hasher.hash_one(token)) {
            true => Ok(true),
            false => Err(EndlessList::RepeatedToken),
        }
    }

    /// Notes a page of a request with a limit, as [`page`](Self::page) does.
    ///
    /// # Errors
    /// Also if another page follows one with more items than the limit. Only a list from the cache of a server, which is in one piece,
    /// has more.
    pub fn limited_page(
        &mut self,
        token: Option<&str>,
        items: usize,
        limit: usize,
    ) -> Result<bool, EndlessList> {
        match self.page(token, items) {
            Ok(true) if items > limit => Err(EndlessList::LongPage),
            result => result,
        }
    }
}

impl fmt::Debug for ListProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListProgress")
            .field("pages", &self.tokens.len())
            .field("empty_pages", &self.empty_pages)
            .finish()
    }
}

/// A list whose pages do not lead to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndlessList {
    /// A continue token came twice.
    RepeatedToken,
    /// More pages than any list has.
    Pages,
    /// Many consecutive pages were empty.
    EmptyPages,
    /// A page had more items than its request allowed, and another page followed.
    LongPage,
}

impl fmt::Display for EndlessList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedToken => f.write_str("the server repeated a continue token"),
            Self::Pages => write!(f, "the list has more than {MAX_PAGES} pages"),
            Self::EmptyPages => {
                write!(
                    f,
                    "the list has more than {MAX_EMPTY_PAGES} empty pages in a row"
                )
            }
            Self::LongPage => f.write_str("the server sent more items than the limit of the page"),
        }
    }
}

impl std::error::Error for EndlessList {}
