//! Fifty greedy clients beside five small ones, on a level with ten seats and fair queues.

use crate::apf::Server;
use crate::load::{Client, run};
use k8s_flowcontrol_pace::Pace;
use std::time::Duration;

const SERVICE: Duration = Duration::from_millis(50);

fn server() -> Server {
    Server::new(10, SERVICE, false)
}

/// Callers of one program.
pub(crate) fn one_program(callers: usize) -> (Pace, Vec<Client>) {
    let pace = Pace::builder().seed(7).build();
    let clients = (0..callers).map(|_| ("program".to_owned(), Some(pace.clone())));
    (pace.clone(), clients.collect())
}

#[tokio::test(start_paused = true)]
async fn one_program_is_as_fast_as_the_best_fixed_limit_and_leaves_room() {
    let alone = run(&server(), vec![], 5, 0, 30).await;
    let mut best: f64 = 0.0;
    for limit in [8, 9, 10, 11, 12, 14] {
        let fixed = vec![("program".to_owned(), None); limit];
        let fixed = run(&server(), fixed, 5, 5, 20).await;
        best = best.max(fixed.per_second());
    }
    let paced = run(&server(), one_program(50).1, 5, 10, 30).await;
    let per_second = paced.per_second();
    assert!(per_second >= 0.95 * best, "{per_second} of {best}");
    assert_eq!(paced.rejected, 0);
    let (p99, alone) = (paced.p99(), alone.p99());
    assert!(p99 <= alone.mul_f64(1.5), "{p99:?} beside {alone:?}");
}

#[tokio::test(start_paused = true)]
async fn many_programs_keep_queues_shorter_than_without_limits() {
    let unpaced = (0..50).map(|number| (format!("program-{number}"), None));
    let unpaced = run(&server(), unpaced.collect(), 5, 20, 20).await;
    let paced = (0..50).map(|number| {
        let pace = Pace::builder().seed(number).build();
        (format!("program-{number}"), Some(pace))
    });
    let paced = run(&server(), paced.collect(), 5, 20, 20).await;
    assert!(paced.per_second() >= 0.95 * unpaced.per_second());
    let (p99, without) = (paced.p99(), unpaced.p99());
    assert!(p99 < without.mul_f64(0.8), "{p99:?} without {without:?}");
}
