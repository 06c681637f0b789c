//! The work that both sides do in one way.

use crate::{Meter, list, report, resident};
use std::error::Error;
use std::hint::black_box;

/// The outcome of work.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Decodes a list of `count` FlowSchemas, again in each round.
///
/// # Errors
/// Of `decode`.
pub fn decode<T, E: Error + 'static>(
    count: usize,
    rounds: usize,
    decode: impl Fn(&str) -> Result<T, E>,
) -> Outcome {
    let text = list(count);
    black_box(decode(&text)?);
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(decode(black_box(&text))?);
    }
    report_throughput(&meter, text.len() * rounds);
    Ok(())
}

/// Encodes a list, again in each round.
///
/// # Errors
/// Of `encode`.
pub fn encode<T, E: Error + 'static>(
    list: &T,
    rounds: usize,
    encode: impl Fn(&T) -> Result<Vec<u8>, E>,
) -> Outcome {
    let length = black_box(encode(list)?).len();
    let meter = Meter::start();
    for _ in 0..rounds {
        black_box(encode(black_box(list))?);
    }
    report_throughput(&meter, length * rounds);
    Ok(())
}

fn report_throughput(meter: &Meter, bytes: usize) {
    let (wall, cpu) = meter.stop();
    report(&[
        ("MB/s", bytes as f64 / 1e6 / wall.as_secs_f64()),
        ("MB per cpu second", bytes as f64 / 1e6 / cpu.as_secs_f64()),
    ]);
}

/// Prints the time that `count` events took.
pub fn report_events(meter: &Meter, count: usize) {
    let (wall, cpu) = meter.stop();
    report(&[
        ("events/s", count as f64 / wall.as_secs_f64()),
        ("cpu µs per event", cpu.as_secs_f64() * 1e6 / count as f64),
    ]);
}

/// Prints the time and memory of a store that is ready.
pub fn report_store(meter: &Meter) {
    let (wall, cpu) = meter.stop();
    report(&[
        ("ready seconds", wall.as_secs_f64()),
        ("cpu seconds", cpu.as_secs_f64()),
        ("resident bytes", resident() as f64),
    ]);
}
