//! The events of a run: a function of its seed.

use crate::watching::random::Random;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// The releases that serve every version of the stores, v1 and v1beta3. The last restart of a round chooses from these.
const COMMON: [u32; 3] = [29, 30, 31];
/// All releases of a run. 1.28 does not serve v1, and cannot decode the objects that 1.30 and later releases have written;
/// 1.32 and later releases do not serve v1beta3.
const ALL: [u32; 7] = [28, 29, 30, 31, 32, 34, 37];

/// Something that happens to the server, or between it and its clients.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// Connections are closed, new connections fail for some time, and the server starts again, as this release.
    Restart { release: Release, down: Duration },
    /// The next connections get another certificate of the same authority.
    NewCertificate,
    /// The next connections get a certificate of another authority.
    NewAuthority(Rotation),
    /// The server accepts another token.
    NewToken(Rotation),
    /// The server forgets the changes before the present.
    LoseHistory,
    /// Nothing gets through for some time. `dead` connections stay silent, the others continue.
    Hang { pause: Duration, dead: bool },
    /// All connections break.
    Disconnect,
    /// The network and the bodies of responses are faulty for some time.
    Disturb { pause: Duration },
    /// The server answers reads with this error, or with text that is not JSON.
    Nonsense { kind: Nonsense, times: usize },
}

/// A wrong response of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nonsense {
    Garbage,
    InternalError,
    Unavailable,
    TooManyRequests,
    Rejected,
    CutWatch,
}

/// The order in which the server and the clients' file change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rotation {
    /// Both are valid until the file has changed, as it should be.
    Overlapping,
    /// The file changes after this time, and is empty or cut off for a moment.
    FileLate(Duration),
    /// The server changes after this time.
    ServerLate(Duration),
}

/// The events of one round: each sort at least once, in random order, with pauses before them.
///
/// After the last restart, all stores are served again; a few lighter events follow.
pub(crate) fn round(random: &mut Random) -> Vec<(Duration, Event)> {
    let mut events = light(random);
    events.extend(light(random).into_iter().take(2));
    events.extend([restart(random, &ALL), restart(random, &ALL)]);
    events.push(Event::Hang {
        pause: millis(random, 50, 300),
        dead: true,
    });
    events.push(Event::Disturb {
        pause: millis(random, 100, 600),
    });
    shuffle(random, &mut events);
    events.push(restart(random, &COMMON));
    let last = usize::try_from(random.below(4)).unwrap();
    events.extend(light(random).into_iter().take(last));
    let pauses = events.into_iter().map(|event| {
        // Some events happen while the clients still recover from the one before.
        let pause = match random.happens(30) {
            true => Duration::ZERO,
            false => millis(random, 10, 300),
        };
        (pause, event)
    });
    pauses.collect()
}

/// Each sort of event after which the server still serves all stores, once, in random order.
fn light(random: &mut Random) -> Vec<Event> {
    let kinds = [
        Nonsense::Garbage,
        Nonsense::InternalError,
        Nonsense::Unavailable,
        Nonsense::TooManyRequests,
        Nonsense::Rejected,
        Nonsense::CutWatch,
    ];
    let mut events = vec![
        Event::NewCertificate,
        Event::NewAuthority(rotation(random)),
        Event::NewToken(rotation(random)),
        Event::LoseHistory,
        Event::Hang {
            pause: millis(random, 50, 800),
            dead: false,
        },
        Event::Disconnect,
        Event::Nonsense {
            kind: random.choose(&kinds),
            times: 1 + usize::try_from(random.below(60)).unwrap(),
        },
    ];
    shuffle(random, &mut events);
    events
}

fn restart(random: &mut Random, releases: &[u32]) -> Event {
    Event::Restart {
        release: Release::nearest(random.choose(releases)),
        down: millis(random, 0, 300),
    }
}

fn rotation(random: &mut Random) -> Rotation {
    let late = millis(random, 10, 400);
    match random.below(3) {
        0 => Rotation::Overlapping,
        1 => Rotation::FileLate(late),
        _ => Rotation::ServerLate(late),
    }
}

fn millis(random: &mut Random, from: u64, to: u64) -> Duration {
    Duration::from_millis(from + random.below(to - from))
}

/// Fisher and Yates.
fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = random.below(last as u64 + 1);
        items.swap(last, usize::try_from(other).unwrap());
    }
}
