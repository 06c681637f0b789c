//! The two promises of `RetryPolicy`, held against random sequences of faults.
//!
//! 1. A request that may have been carried out is not sent again, unless it changes nothing the second time.
//! 2. A request that was certainly not carried out is sent again, as often as the policy and the budget allow.

mod act;
mod frames;
mod request;
mod server;

use crate::requests::http2::Tls;
use act::{Act, Effect, HTTP1, HTTP2, SUCCESS};
use proptest::collection::vec;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use request::Request;
use server::{Attempt, Server};
use tokio::runtime::Runtime;

const MAX_ATTEMPTS: usize = 5;

#[test]
fn both_promises_hold_over_http1() {
    check(None, HTTP1.to_vec(), 64);
}

#[test]
fn both_promises_hold_over_http2() {
    check(Some(Tls::new()), [HTTP1, HTTP2].concat(), 64);
}

fn check(tls: Option<Tls>, acts: Vec<Act>, cases: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    // Most sequences need many attempts, so that the limits matter.
    let budgets = vec![None, Some(0), Some(12), Some(500)];
    let strategy = (
        select(Request::ALL.to_vec()),
        vec(select(acts), 0..MAX_ATTEMPTS + 1),
        select(budgets),
    );
    TestRunner::new(config)
        .run(&strategy, |(request, acts, budget)| {
            play(&runtime, tls.clone(), request, acts, budget);
            Ok(())
        })
        .unwrap();
}

fn play(
    runtime: &Runtime,
    tls: Option<Tls>,
    request: Request,
    acts: Vec<Act>,
    budget: Option<u32>,
) {
    let (result, attempts) = runtime.block_on(async {
        let server = Server::new(tls, acts);
        let client = server.client(budget);
        let result = request.send(&client).await;
        (result, server.attempts())
    });
    let is_over_budget = check_attempts(request, &attempts, budget);

    let may_take_effect = |attempt: &Attempt| {
        let act = attempt.act;
        act.is_some_and(|act| act.may_take_effect(request))
    };
    let effects = attempts.iter().filter(|one| may_take_effect(one)).count();
    if !request.is_repeatable() {
        assert!(effects <= 1, "carried out {effects} times: {attempts:?}");
    }
    let Err(error) = result else {
        return;
    };
    assert_eq!(error.attempts() as usize, attempts.len(), "{error}");
    let is_knowable = |attempt: &Attempt| {
        let act = attempt.act;
        act.is_none_or(|act| act.effect(request) != Effect::Unknowable)
    };
    if attempts.iter().all(is_knowable) {
        let names_the_budget = error.to_string().contains("retry budget");
        assert_eq!(names_the_budget, is_over_budget, "{error}: {attempts:?}");
        let expected = request.is_write() && effects > 0;
        assert_eq!(
            error.may_have_taken_effect(),
            expected,
            "{error}: {attempts:?}"
        );
    }
}

/// Compares the attempts with the promises. Returns whether the last one was not repeated for lack of budget.
fn check_attempts(request: Request, attempts: &[Attempt], budget: Option<u32>) -> bool {
    let mut tokens = budget;
    let mut is_over_budget = false;
    for (index, attempt) in attempts.iter().enumerate() {
        let is_repeated = attempt.is_repeated;
        assert_eq!(is_repeated, index + 1 < attempts.len(), "{attempts:?}");
        let act = attempt.act.unwrap_or(Act::Refuse);
        let is_within_budget = tokens.is_none_or(|tokens| tokens >= act.cost());
        let is_allowed = index + 1 < MAX_ATTEMPTS && is_within_budget;
        let is_due = match act.effect(request) {
            Effect::None => true,
            Effect::Open => request.is_repeatable(),
            Effect::Unknowable => request.is_repeatable() || is_repeated,
            Effect::Final => false,
        };
        assert_eq!(is_repeated, is_due && is_allowed, "{index} of {attempts:?}");
        is_over_budget = is_due && index + 1 < MAX_ATTEMPTS && !is_within_budget;
        if is_repeated {
            tokens = tokens.map(|tokens| tokens - act.cost());
        }
    }
    let last = attempts.last().and_then(|attempt| attempt.act);
    assert!(last.is_some() || is_over_budget || attempts.len() == MAX_ATTEMPTS);
    is_over_budget
}

#[test]
fn a_request_without_faults_is_sent_once() {
    let runtime = Runtime::new().unwrap();
    for request in Request::ALL {
        play(&runtime, None, *request, vec![SUCCESS], Some(0));
    }
}
