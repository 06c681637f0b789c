//! Limits that change, levels that reject, and servers that become slower.

use crate::apf::Server;
use crate::behaviour::{level, send};
use crate::load::run;
use crate::sharing::one_program;
use k8s_flowcontrol_pace::Pace;
use std::time::Duration;

const SERVICE: Duration = Duration::from_millis(50);

/// The requests in each second: ten seats, then `seats` from the 20th second on.
async fn change_to(seats: u32) -> Vec<u64> {
    let server = Server::new(10, SERVICE, false);
    let changing = server.clone();
    let change = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(20)).await;
        changing.set_seats(seats);
    });
    let result = run(&server, one_program(50).1, 5, 0, 40).await;
    change.await.unwrap();
    assert_eq!(server.rejected(), 0);
    result.served
}

#[tokio::test(start_paused = true)]
async fn it_recovers_within_ten_seconds_when_the_limit_changes() {
    // The small clients take 1.2 seats; a seat serves 20 requests a second.
    for (seats, expected) in [(5, 76.0), (20, 376.0)] {
        let served = change_to(seats).await;
        let after: u64 = served[30..40].iter().sum();
        let per_second = after as f64 / 10.0;
        assert!(per_second >= 0.95 * expected, "{seats} seats: {served:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_others_is_short_again_after_a_smaller_limit() {
    let server = Server::new(20, SERVICE, false);
    let changing = server.clone();
    let change = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(20)).await;
        changing.set_seats(10);
    });
    let result = run(&server, one_program(50).1, 5, 30, 20).await;
    change.await.unwrap();
    assert!(
        result.p99() < Duration::from_millis(90),
        "{:?}",
        result.p99()
    );
}

#[tokio::test(start_paused = true)]
async fn fewer_than_one_in_a_hundred_is_rejected_by_a_level_without_queues() {
    let server = || Server::new(10, SERVICE, true);
    let unpaced = vec![("program".to_owned(), None); 50];
    let unpaced = run(&server(), unpaced, 5, 10, 30).await;
    assert!(unpaced.rejected_part() > 0.1, "{}", unpaced.rejected_part());
    let paced = run(&server(), one_program(50).1, 5, 10, 30).await;
    assert!(paced.rejected_part() < 0.01, "{}", paced.rejected_part());
    // The small clients come in bursts, for which places stay free.
    assert!(paced.per_second() > 0.8 * 176.0, "{}", paced.per_second());
}

#[tokio::test(start_paused = true)]
async fn a_slower_server_is_not_taken_for_a_full_one_for_ever() {
    let server = Server::new(30, SERVICE, false);
    let slower = server.clone();
    let change = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(20)).await;
        slower.set_service(Duration::from_millis(75));
    });
    let result = run(&server, one_program(20).1, 0, 0, 120).await;
    change.await.unwrap();
    let last: u64 = result.served[100..].iter().sum();
    // Twenty requests in flight need 20 of 30 seats.
    let possible = 20.0 / 0.076 * 20.0;
    assert!(last as f64 > 0.85 * possible, "{:?}", result.served);
}

/// The first latencies are compared with the lowest one.
#[tokio::test(start_paused = true)]
async fn a_first_request_that_is_slow_is_no_floor() {
    let pace = Pace::builder().max_limit(1).build();
    for milliseconds in [500, 200, 300] {
        let latency = Duration::from_millis(milliseconds);
        send(&pace, "/api/v1/pods", "a", latency).await;
    }
    let ratio = level(&pace, "a").latency_ratio;
    assert!((ratio - 1.25).abs() < 0.01, "{ratio}");
}

/// Latencies are compared with the lowest mean of some of them, the floor.
#[tokio::test(start_paused = true)]
async fn the_floor_falls_at_once_and_rises_slowly() {
    let pace = Pace::builder().max_limit(1).seed(7).build();
    let ratio = async |count: u32, milliseconds: u64| {
        for _ in 0..count {
            let latency = Duration::from_millis(milliseconds);
            send(&pace, "/api/v1/pods", "a", latency).await;
        }
        level(&pace, "a").latency_ratio
    };
    assert_eq!(ratio(13, 200).await, 1.0);
    assert_eq!(ratio(14, 100).await, 1.0);
    let ratios = ratio(2, 200).await;
    assert!((ratios - 1.98).abs() < 0.02, "{ratios}");
    // Six requests of a slowdown raise the floor by a tenth.
    let ratios = ratio(10, 200).await;
    assert!((ratios - 1.8).abs() < 0.02, "{ratios}");
    // In the end the server is slower, and not full.
    let ratios = ratio(2_000, 200).await;
    assert!(ratios < 1.05, "{ratios}");
}
