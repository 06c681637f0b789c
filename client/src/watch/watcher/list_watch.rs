//! The list-then-watch state: which request comes next, and after which delay. No I/O.

mod failures;

use super::settings::{Delays, Settings};
use crate::verbs::list_progress::{EndlessList, ListProgress};
use std::cmp::Ordering;
use std::time::Duration;

/// A watch that ends sooner, without progress, has failed. client-go has the same limit.
pub(super) const SHORT: Duration = Duration::from_secs(1);
/// After this many failed watches in a row the resource version may be the cause: list again.
const MAX_FAILED_WATCHES: u32 = 3;
/// After this many idle timeouts without event or bookmark the server may have lost its history: list again.
const MAX_QUIET: u32 = 2;
/// After this many incomplete streaming lists in a row: list page by page.
const MAX_INCOMPLETE: u32 = 3;
/// After this many failures of one page the token may be the cause: list from the beginning.
const MAX_FAILED_PAGES: u32 = 30;

/// The next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A watch that starts with all objects.
    StreamingList,
    /// A list, or the next page of it.
    List {
        limit: Option<u32>,
        token: Option<String>,
    },
    /// A list of one object, whose resource version shows whether the server has gone back.
    Check,
    /// A watch of the changes after a resource version.
    Watch { after: String },
}

/// The state of the lists and watches of one selection.
#[derive(Clone, Debug)]
pub(super) struct ListWatch {
    page_size: Option<u32>,
    delays: Delays,
    /// The maximum time without event or bookmark, in one watch or several.
    max_quiet: Duration,
    /// The minimum time after which a watch ends by itself.
    watch_timeout: Duration,
    /// Whether to list again after each watch that the server ended without an event.
    lists_after_end: bool,
    /// The resource version to watch from; `None` while a list is needed.
    version: Option<String>,
    /// Whether to request streaming lists.
    streaming: bool,
    /// The continue token was of no use: the next list is in one piece.
    in_one_piece: bool,
    /// The token of the next page.
    token: Option<String>,
    /// The pages of the list so far.
    pages: ListProgress,
    /// The resource version of the list that the pages belong to.
    list_version: Option<String>,
    /// Failures of the next page in a row.
    failed_pages: u32,
    /// Incomplete streaming lists in a row.
    incomplete: u32,
    /// The open watch, or streaming list.
    open: Option<Open>,
    /// Watches in a row that the server answered and that failed. Lists in between do not end the row.
    failed_watches: u32,
    /// The time of watches since the last event, bookmark or list.
    quiet: Duration,
    /// Lists that failed watches have led to, until watches have lasted for the longest delay.
    relists: u32,
    /// The time of watches since the last of these lists.
    lasted: Duration,
    /// The connection was lost, so that the server may have been restored from a backup: a watch from a version that it has
    /// not reached would be silent.
    lost: bool,
}

/// The progress of an open watch.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// An event or a bookmark.
    received: bool,
    /// A resource version later than the requested one.
    advanced: bool,
}

impl ListWatch {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            page_size: settings.page_size,
            delays: Delays::new(settings),
            max_quiet: settings.idle_timeout.saturating_mul(MAX_QUIET),
            watch_timeout: settings.watch_timeout,
            lists_after_end: settings.lists_after_end,
            version: settings.start_from.clone(),
            streaming: settings.streaming_lists,
            in_one_piece: false,
            token: None,
            pages: ListProgress::default(),
            list_version: None,
            failed_pages: 0,
            incomplete: 0,
            open: None,
            failed_watches: 0,
            quiet: Duration::ZERO,
            relists: 0,
            lasted: Duration::ZERO,
            lost: false,
        }
    }

    pub(super) fn step(&self) -> Step {
        match &self.version {
            Some(_) if self.lost => Step::Check,
            Some(version) => Step::Watch {
                after: version.clone(),
            },
            None if self.is_streaming() => Step::StreamingList,
            None => Step::List {
                limit: self.limit(),
                token: self.token.clone(),
            },
        }
    }

    /// The most items of the next page.
    fn limit(&self) -> Option<u32> {
        self.page_size.filter(|_| !self.in_one_piece)
    }

    /// Whether the next page is the first page of a list.
    pub(super) fn is_first_page(&self) -> bool {
        self.token.is_none()
    }

    /// The resource version of the last event; `None` during a list.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Whether the last watch failed, so that only a watch that works ends the trouble.
    pub(super) fn watches_fail(&self) -> bool {
        self.failed_watches > 0
    }

    /// A page was received. Returns whether another page follows.
    pub(super) fn page(
        &mut self,
        version: Option<String>,
        token: Option<String>,
        items: usize,
    ) -> Result<bool, EndlessList> {
        if self.is_first_page() {
            self.list_version = version;
        }
        self.failed_pages = 0;
        self.token = token.filter(|token| !token.is_empty());
        let limit = self.limit().map_or(usize::MAX, |limit| limit as usize);
        self.pages.limited_page(self.token.as_deref(), items, limit)
    }

    /// All items of the last page were reported. Returns whether the list had a resource version to watch from.
    pub(super) fn listed(&mut self) -> bool {
        let version = self.list_version.take();
        self.relist();
        self.incomplete = 0;
        self.in_one_piece = false;
        self.quiet = Duration::ZERO;
        self.version = version.filter(|version| !version.is_empty());
        self.version.is_some()
    }

    /// The list does not end. Returns the delay before a list in one piece.
    pub(super) fn endless(&mut self) -> Duration {
        self.relist();
        self.in_one_piece = true;
        self.delays.next(None)
    }

    /// A streaming list is complete, and continues as a watch.
    pub(super) fn streamed(&mut self, version: &str) {
        self.incomplete = 0;
        self.quiet = Duration::ZERO;
        self.version = Some(version.to_owned());
    }

    /// The server has this resource version. If it is lower than that of the last event, returns the delay before a list.
    pub(super) fn checked(&mut self, version: &str) -> Option<Duration> {
        self.lost = false;
        let own = self.version.as_deref();
        if own.and_then(|own| compare(version, own)) != Some(Ordering::Less) {
            return None;
        }
        self.relist();
        Some(match self.is_first_relist() {
            true => Duration::ZERO,
            false => self.delays.next(None),
        })
    }

    /// The next request is a list.
    pub(super) fn relist(&mut self) {
        self.lost = false;
        self.version = None;
        self.token = None;
        self.pages = ListProgress::default();
        self.list_version = None;
        self.failed_pages = 0;
        self.open = None;
    }

    /// The server sent a bookmark in the middle of a streaming list: it ignores the parameter.
    pub(super) fn streaming_ignored(&mut self) {
        self.streaming = false;
        self.open = None;
    }

    /// The server accepted a watch.
    pub(super) fn opened(&mut self) {
        self.open = Some(Open::default());
    }

    /// A watch delivered a change or a bookmark with a resource version. Returns whether the version may follow the last
    /// one: it is lower if the server was restored from a backup.
    pub(super) fn received(&mut self, version: &str) -> bool {
        self.open.get_or_insert_default().received = true;
        self.quiet = Duration::ZERO;
        let Some(own) = self.version.as_mut().filter(|_| !version.is_empty()) else {
            return true;
        };
        match compare(version, own) {
            Some(Ordering::Less) => return false,
            Some(Ordering::Equal) => {}
            Some(Ordering::Greater) | None => {
                own.clear();
                own.push_str(version);
                self.advanced();
            }
        }
        true
    }

    /// A watch has been open for longer than [`SHORT`].
    pub(super) fn survived(&mut self) {
        self.failed_watches = 0;
    }

    /// The server ended a watch. Returns the delay before the next request, and whether the watch failed.
    pub(super) fn ended(&mut self, lived: Duration) -> (Duration, bool) {
        let open = self.close(lived);
        if self.version.is_none() {
            self.incomplete = self.incomplete.saturating_add(1);
            return (self.delays.next(None), false);
        }
        let failed = lived < SHORT && !open.advanced;
        if failed {
            self.watch_failed();
        }
        // A server that ends a watch early may be about to stop.
        self.lost |= lived >= SHORT && lived.saturating_add(SHORT) < self.watch_timeout;
        if self.is_too_quiet() || (self.lists_after_end && !open.received) {
            self.relist();
        }
        if lived >= SHORT && self.version.is_some() {
            return (Duration::ZERO, failed);
        }
        // A server that closes watches at once must not be called in a tight loop.
        (self.delays.next(None), failed)
    }

    fn is_streaming(&self) -> bool {
        self.streaming && self.incomplete < MAX_INCOMPLETE
    }

    fn is_too_quiet(&self) -> bool {
        self.quiet >= self.max_quiet
    }

    fn advanced(&mut self) {
        self.open = Some(Open {
            received: true,
            advanced: true,
        });
        self.delays.reset();
        self.quiet = Duration::ZERO;
        self.failed_watches = 0;
    }

    /// Notes a list that a failed watch leads to. Returns whether it is the first for a while: only that is sent at once, since
    /// each costs the server as much as all objects. A change does not end the row.
    fn is_first_relist(&mut self) -> bool {
        self.delays.at_least(self.relists);
        self.relists = self.relists.saturating_add(1);
        self.lasted = Duration::ZERO;
        self.relists == 1
    }

    /// A watch has lasted this long.
    fn lasted(&mut self, lived: Duration) {
        self.lasted = self.lasted.saturating_add(lived);
        if self.lasted >= self.delays.max() {
            self.relists = 0;
        }
    }

    /// The open watch is over.
    fn close(&mut self, lived: Duration) -> Open {
        let open = self.open.take();
        if let Some(open) = open {
            if !open.received {
                self.quiet = self.quiet.saturating_add(lived);
            }
            if lived >= SHORT {
                self.survived();
            }
            self.lasted(lived);
            // Requests are then rare anyway.
            if lived >= self.delays.max() {
                self.delays.reset();
            }
        }
        open.unwrap_or_default()
    }
}

/// Compares two [resource versions](https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions), which
/// are decimal numbers of any size. Returns `None` for any other text.
fn compare(a: &str, b: &str) -> Option<Ordering> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(a) || !is_number(b) {
        return None;
    }
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    Some(a.len().cmp(&b.len()).then_with(|| a.cmp(b)))
}
