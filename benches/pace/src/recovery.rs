//! Ten seats, five from the 20th second on, and ten again from the 40th on.

use crate::load::{Load, Outcome};
use crate::pacer::Pacer;
use crate::world::World;
use crate::{Failure, GREEDY};
use std::ops::Range;
use std::time::Duration;

const WARM_UP: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_secs(20);
/// The parts of the table, in seconds after the warm-up: each begins 10 s after a change.
const PARTS: [(&str, Range<u64>); 3] = [
    ("10 seats", 10..20),
    ("10 to 20 s after the change to 5 seats", 30..40),
    ("10 to 20 s after the change to 10 seats", 50..60),
];

pub(crate) async fn run(world: &World) -> Result<(), Failure> {
    let mut outcomes = Vec::new();
    for (name, pacer) in [
        ("none", Pacer::None),
        ("fixed, 10 in flight", Pacer::Fixed(10)),
        ("adaptive", Pacer::Adaptive),
    ] {
        outcomes.push((name, changing(world, pacer).await?));
    }
    println!("| limit | | requests/s of greedy clients | median of small ones, ms | p99, ms |");
    println!("|---|---|---:|---:|---:|");
    for (name, outcome) in &outcomes {
        for (part, seconds) in PARTS {
            let served = &outcome.served[seconds.start as usize..seconds.end as usize];
            let per_second = served.iter().sum::<u64>() as f64 / served.len() as f64;
            let [median, p99] = [50, 99].map(|percent| {
                let latency = outcome.percentile(percent, seconds.clone());
                1000.0 * latency.as_secs_f64()
            });
            println!("| {name} | {part} | {per_second:.1} | {median:.0} | {p99:.0} |");
        }
    }
    for (name, outcome) in &outcomes {
        println!(
            "\n{name}: requests of greedy clients in each two seconds, and the median of small ones"
        );
        chart(outcome);
    }
    Ok(())
}

/// Runs fifty callers of one program while the seats change.
async fn changing(world: &World, pacer: Pacer) -> Result<Outcome, Failure> {
    world.set_seats(10).await?;
    let load = Load {
        world,
        greedy: GREEDY,
        small: 5,
        warm_up: WARM_UP,
        time: 3 * STEP,
    };
    let change = async {
        tokio::time::sleep(WARM_UP + STEP).await;
        world.set_seats(5).await?;
        tokio::time::sleep(STEP).await;
        world.set_seats(10).await
    };
    let (outcome, changed) = tokio::join!(load.run(pacer, false), change);
    changed?;
    outcome
}

/// A bar for each two seconds.
fn chart(outcome: &Outcome) {
    for (number, two) in outcome.served.chunks(2).enumerate() {
        let served: u64 = two.iter().sum();
        let second = 2 * number as u64;
        let median = outcome.percentile(50, second..second + 2).as_millis();
        let bar = "#".repeat(served as usize / 4);
        println!("{second:>3} s {bar:<25} {served:>3} {median:>5} ms");
    }
}
