//! Fifty greedy clients beside five small ones on a level with ten seats: a row of a table for each way to limit them.
//!
//! `bench-pace [SECONDS]` runs on an embedded server that throttles, with requests of 200 ms. With
//! `FLOWCONTROL_TEST_KUBECONFIG`, it runs on that cluster: it creates a level and a flow schema named `bench-pace`, and deletes them.

mod load;
mod pacer;
mod world;

use load::{Load, Outcome};
use pacer::Pacer;
use std::time::Duration;
use world::World;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const GREEDY: usize = 50;
/// The fixed limits of the sweep.
const SWEEP: [usize; 5] = [8, 10, 11, 12, 16];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let seconds = match std::env::args().nth(1) {
        Some(seconds) => seconds.parse()?,
        None => 20,
    };
    let world = World::start().await?;
    let result = run(&world, Duration::from_secs(seconds)).await;
    world.end().await?;
    result
}

async fn run(world: &World, time: Duration) -> Result<(), Failure> {
    let load = |greedy, time| Load {
        world,
        greedy,
        small: 5,
        warm_up: time / 2,
        time,
    };
    let alone = load(0, time).run(Pacer::none(), false).await?;
    println!(
        "| limit | requests/s of greedy clients | rejected, % | p99 of small ones, ms | beside alone |"
    );
    println!("|---|---:|---:|---:|---:|");
    print("small clients alone", &alone, &alone);
    for limit in SWEEP {
        let fixed = load(GREEDY, time).run(Pacer::fixed(limit), false).await?;
        print(&format!("fixed, {limit} in flight"), &fixed, &alone);
    }
    for (name, pacer, apart) in [
        ("adaptive, one program", Pacer::adaptive(), false),
        ("adaptive, fifty programs", Pacer::adaptive(), true),
        (
            "QPS 20, burst 30, one program",
            Pacer::rate(20.0, 30.0),
            false,
        ),
        (
            "QPS 20, burst 30, fifty programs",
            Pacer::rate(20.0, 30.0),
            true,
        ),
        ("none, one program", Pacer::none(), false),
        ("none, fifty programs", Pacer::none(), true),
        ("retry budget alone, one program", Pacer::budget(), false),
        ("retry budget alone, fifty programs", Pacer::budget(), true),
    ] {
        let outcome = load(GREEDY, time).run(pacer, apart).await?;
        print(name, &outcome, &alone);
    }
    for (name, pacer) in [("adaptive", Pacer::adaptive()), ("none", Pacer::none())] {
        world.set_seats(10).await?;
        let load = load(GREEDY, Duration::from_secs(60));
        let run = load.run(pacer, false);
        let change = async {
            tokio::time::sleep(Duration::from_secs(50)).await;
            world.set_seats(5).await?;
            tokio::time::sleep(Duration::from_secs(20)).await;
            world.set_seats(10).await
        };
        let (outcome, changed) = tokio::join!(run, change);
        changed?;
        println!("\n{name}: 10 seats, 5 after 20 s, 10 after 40 s; requests in each two seconds:");
        chart(&outcome?);
    }
    Ok(())
}

fn print(name: &str, outcome: &Outcome, alone: &Outcome) {
    let (p99, alone) = (outcome.p99().as_secs_f64(), alone.p99().as_secs_f64());
    println!(
        "| {name} | {:.1} | {:.2} | {:.0} | {:.2} |",
        outcome.per_second(),
        100.0 * outcome.rejected_part(),
        1000.0 * p99,
        p99 / alone,
    );
}

/// A bar for each two seconds.
fn chart(outcome: &Outcome) {
    for (number, two) in outcome.served.chunks(2).enumerate() {
        let served: u64 = two.iter().sum();
        println!(
            "{:>3} s {} {served}",
            number * 2,
            "#".repeat(served as usize * 2 / 5)
        );
    }
}
