//! Converts a manifest to a newer API version, and prints the losses of the way back.
//!
//! `cargo run --example convert` does not need a server.

use k8s_flowcontrol::api::{v1, v1beta2, v1beta3};
use k8s_flowcontrol::convert::Lossy;
use std::error::Error;

const MANIFEST: &str = r#"{
  "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta2",
  "kind": "PriorityLevelConfiguration",
  "metadata": {"name": "batch"},
  "spec": {
    "type": "Limited",
    "limited": {
      "assuredConcurrencyShares": 9,
      "limitResponse": {"type": "Queue", "queuing": {"queues": 32}},
      "fromTheFuture": [1.50]
    }
  }
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let old: v1beta2::PriorityLevelConfiguration = serde_json::from_str(MANIFEST)?;
    let mut new: v1::PriorityLevelConfiguration = old.try_into()?;
    println!(
        "v1beta2 became v1:\n{}\n",
        serde_json::to_string_pretty(&new)?
    );

    // v1 can express zero shares, v1beta3 only with an annotation, older versions not at all.
    new.spec
        .limited
        .get_or_insert_default()
        .nominal_concurrency_shares = Some(0);
    let beta3 = v1beta3::PriorityLevelConfiguration::try_from(new.clone())?;
    println!(
        "With 0 shares v1beta3 needs {:?}\n",
        beta3.metadata.annotations
    );

    match v1beta2::PriorityLevelConfiguration::try_from(new) {
        Ok(_) => println!("v1beta2 can say that"),
        Err(Lossy { losses, .. }) => {
            println!("v1beta2 cannot say that:");
            for loss in losses {
                println!("  {loss}");
            }
        }
    }
    Ok(())
}
