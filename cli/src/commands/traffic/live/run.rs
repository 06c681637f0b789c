//! The loop of `--follow` and `--listen`: requests, files, alerts, reports and the state, one after the other.

use super::LiveArgs;
use super::batches::{Batches, Pages};
use super::follow::{Followed, microseconds};
use super::keep::Keep;
use super::listen::{Listening, Work};
use super::print::Printer;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, note, warn};
use k8s_flowcontrol_analysis::callers::By;
use k8s_flowcontrol_analysis::live::{Counter, Live};
use k8s_flowcontrol_server::Rejections;
use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant, SystemTime};

/// The time between two looks at the files.
const POLL: Duration = Duration::from_millis(500);
/// The time between two writes of the state.
const SAVE: Duration = Duration::from_secs(5);
/// The most bytes of batches that are written to the disk together.
const TOGETHER: usize = 16 << 20;

/// Counts requests until Ctrl-C.
/// Errors: if an option cannot be used, or a state cannot be read. Later problems are warnings.
pub(in super::super) fn run(
    args: &LiveArgs,
    counter: Counter,
    by: By,
    is_json: bool,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let now_us = now_us();
    let (keep, live) = match &args.state {
        Some(path) => {
            let (keep, live) = Keep::open(path, args.window, by, now_us)?;
            (Some(keep), live)
        }
        None => (None, Live::new(args.window, by)),
    };
    let paths = args.follow.iter().map(std::path::absolute);
    let followed = args.follow.iter().map(|path| Followed::new(path));
    let mut watch = Watch {
        live,
        counter,
        keep,
        followed: followed.collect::<Result<_, _>>()?,
        // `Followed` has found the same error.
        paths: paths.filter_map(Result::ok).collect(),
        is_changed: false,
        is_writable: true,
        printer: Printer { is_json },
    };
    let listening = Listening::start(args)?;
    if let Some((url, _)) = &listening.receiver {
        note(streams, &format!("listening on {url}; Ctrl-C stops"))?;
    }
    let result = watch.until_stopped(args, &listening, streams);
    listening.stop();
    result
}

/// The requests so far, and where they come from.
struct Watch {
    live: Live,
    counter: Counter,
    keep: Option<Keep>,
    followed: Vec<Followed>,
    paths: Vec<PathBuf>,
    /// Whether the state on the disk is older.
    is_changed: bool,
    /// Whether the last write to the disk succeeded.
    is_writable: bool,
    printer: Printer,
}

impl Watch {
    fn until_stopped(
        &mut self,
        args: &LiveArgs,
        listening: &Listening,
        streams: &mut Streams,
    ) -> Result<Exit, Failure> {
        let start = Instant::now();
        let interval = Duration::from_secs(args.interval);
        // From now on a restart knows which files are older.
        self.read()?;
        self.is_changed = true;
        self.save()?;
        let (mut poll, mut save, mut print) = (start, start + SAVE, start + interval);
        loop {
            let next = poll.min(save).min(print);
            let wait = next.saturating_duration_since(Instant::now());
            match listening.works.recv_timeout(wait) {
                Ok(Work::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(work @ Work::Post(_)) => {
                    if !self.answer(work, listening)? {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if now >= poll {
                let has_read = self.read()?;
                poll = if has_read { now } else { now + POLL };
                self.report_alerts(args, streams)?;
            }
            let is_due = self.is_writable && self.keep.as_ref().is_some_and(Keep::is_due);
            if now >= save || is_due {
                self.save()?;
                save = now + SAVE;
            }
            if now >= print {
                self.printer
                    .summary(&self.live.summary(now_us()), streams)?;
                print = now + interval;
            }
        }
        self.read()?;
        self.report_alerts(args, streams)?;
        self.is_changed = true;
        self.save()?;
        self.printer
            .summary(&self.live.summary(now_us()), streams)?;
        Ok(Exit::Success)
    }

    /// Responds to the requests that wait, and writes their batches together; `false` after a signal to stop.
    fn answer(&mut self, first: Work, listening: &Listening) -> Result<bool, Failure> {
        let now_us = now_us();
        let rejections = listening
            .receiver
            .as_ref()
            .map(|(_, rejections)| rejections);
        let rejected = rejections.map(Rejections::by_code).unwrap_or_default();
        let mut batches = Batches::default();
        let mut goes_on = true;
        let works = std::iter::once(first).chain(listening.works.try_iter());
        for work in works {
            match work {
                Work::Stop => {
                    goes_on = false;
                    break;
                }
                Work::Post(post) => {
                    let (live, counter) = (&self.live, &mut self.counter);
                    let pages = Pages {
                        live,
                        rejected: &rejected,
                        is_writable: self.is_writable,
                        now_us,
                    };
                    batches.add(post, &pages, counter);
                }
            }
            if batches.len() > TOGETHER {
                break;
            }
        }
        match batches.commit(&mut self.live, self.keep.as_mut(), now_us) {
            Ok(any) => self.is_changed |= any,
            Err(error) => {
                self.is_writable = false;
                warn(&format!("a batch cannot be written: {error}"))?;
            }
        }
        Ok(goes_on)
    }

    /// Reads what is new in the files; whether there was something.
    fn read(&mut self) -> Result<bool, Failure> {
        let now_us = now_us();
        let mut has_read = false;
        for followed in &mut self.followed {
            let lost = self.live.lost_ends();
            let (is_new, problem) =
                followed.poll(&self.paths, &mut self.live, &mut self.counter, now_us);
            has_read |= is_new;
            if let Some(problem) = problem {
                warn(&problem)?;
            }
            if self.live.lost_ends() > lost {
                let name = &followed.name;
                warn(&format!(
                    "{name} was replaced, and its old file is gone: requests at its end may be missing"
                ))?;
            }
        }
        self.is_changed |= has_read;
        Ok(has_read)
    }

    fn report_alerts(&mut self, args: &LiveArgs, streams: &mut Streams) -> Result<(), Failure> {
        let now_us = now_us();
        for alert in self.live.check(&args.alert, now_us) {
            self.is_changed = true;
            self.printer.alert(&alert, now_us, streams)?;
        }
        Ok(())
    }

    fn save(&mut self) -> Result<(), Failure> {
        let Some(keep) = &mut self.keep else {
            return Ok(());
        };
        if !self.is_changed && !keep.is_due() && self.is_writable {
            return Ok(());
        }
        match keep.save(&self.live) {
            Ok(()) => (self.is_changed, self.is_writable) = (false, true),
            Err(error) => {
                self.is_writable = false;
                warn(&format!("the state cannot be written: {error}"))?;
            }
        }
        Ok(())
    }
}

/// The time in microseconds since 1970.
fn now_us() -> i64 {
    microseconds(SystemTime::now())
}
