//! What is concluded from configurations, logs, dumps and metrics: of recorded servers, made-up ones and at random.

mod audit;
mod diagnosis;
mod dumps;
mod lint;
mod loaded;
mod monitoring;
mod preview;
mod recipes;
mod simulation;
mod size;
mod traffic;
mod upgrade;

// Objects that the tests of matching use too.
#[path = "../../rules/tests/runtime/built_in.rs"]
mod built_in;
#[path = "../../rules/tests/runtime/strategies.rs"]
mod strategies;
