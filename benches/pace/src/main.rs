//! Fifty greedy clients beside five small ones on a level with ten seats: a row of a table for each way to limit them.
//!
//! `bench-pace [SECONDS]` runs on an embedded server that throttles, with requests of 200 ms. `bench-pace recovery` changes the number of
//! seats under the load.
//!
//! With `FLOWCONTROL_TEST_KUBECONFIG`, it runs on that cluster: it creates a level and a flow schema named `bench-pace`, and deletes them.
//! `PACE_PATH` is the path of the requests. A cluster responds to a `get` in a few milliseconds, so that fifty clients do not fill ten seats;
//! a path whose requests take 50 ms or more does, such as a list of many objects or a resource with a slow conversion webhook.

mod load;
mod pacer;
mod recovery;
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
    let argument = std::env::args().nth(1).unwrap_or_else(|| "20".to_owned());
    let world = World::start().await?;
    let result = match argument.as_str() {
        "recovery" => recovery::run(&world).await,
        seconds => run(&world, Duration::from_secs(seconds.parse()?)).await,
    };
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
    let alone = load(0, time).run(Pacer::None, false).await?;
    println!(
        "| limit | requests/s of greedy clients | rejected, % | p99 of small ones, ms | beside alone |"
    );
    println!("|---|---:|---:|---:|---:|");
    print("small clients alone", &alone, &alone);
    for limit in SWEEP {
        let fixed = load(GREEDY, time).run(Pacer::Fixed(limit), false).await?;
        print(&format!("fixed, {limit} in flight"), &fixed, &alone);
    }
    for (name, pacer, apart) in [
        ("adaptive, one program", Pacer::Adaptive, false),
        ("adaptive, fifty programs", Pacer::Adaptive, true),
        (
            "QPS 20, burst 30, one program",
            Pacer::Rate(20.0, 30.0),
            false,
        ),
        (
            "QPS 20, burst 30, fifty programs",
            Pacer::Rate(20.0, 30.0),
            true,
        ),
        ("none, one program", Pacer::None, false),
        ("none, fifty programs", Pacer::None, true),
        ("retry budget alone, one program", Pacer::Budget, false),
        ("retry budget alone, fifty programs", Pacer::Budget, true),
    ] {
        let outcome = load(GREEDY, time).run(pacer, apart).await?;
        print(name, &outcome, &alone);
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
