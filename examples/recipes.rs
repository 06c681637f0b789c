//! Makes objects for common needs, and shows their effect: a limit for a scanner, seats for the controllers of a namespace.
//!
//! `cargo run --example recipes` does not need a server.

use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol_analysis::recipes::{Client, Recipe, Recipes};
use std::error::Error;

/// The seats of the server.
const SEATS: u32 = 600;

fn main() -> Result<(), Box<dyn Error>> {
    // `Recipes::new` takes the objects of a cluster.
    let recipes = Recipes::built_in(SEATS, Release::NEWEST);
    let scanner = Client::User {
        name: "scanner".into(),
        groups: Some(vec!["tools".into()]),
    };
    print(&recipes.isolate(&scanner, 5)?)?;
    print(&recipes.protect(&Client::Namespace("flux-system".into()), 20)?)
}

fn print(recipe: &Recipe) -> Result<(), Box<dyn Error>> {
    println!("{}", serde_json::to_string(&recipe.flow_schema)?);
    if let Some(level) = &recipe.priority_level {
        println!("{}", serde_json::to_string(level)?);
        let limits = ServerLimits::new(&recipe.priority_levels, SEATS, Release::NEWEST);
        let name = level.metadata.name.as_deref().unwrap_or_default();
        if let Some(limits) = limits.level(name) {
            println!("{} to {} seats", limits.minimum, limits.maximum);
        }
    }
    for request in &recipe.proof {
        let after = request.after.as_ref();
        let level = after.map_or("none", |taken| &taken.priority_level);
        println!("{}: {level}", request.title);
    }
    Ok(())
}
