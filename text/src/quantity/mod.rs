//! Quantities such as `500m` or `2Gi`: their amounts, from text and as text, as `k8s.io/apimachinery` reads and writes them.

mod amount;
mod natural;
mod parse;

pub use amount::{Amount, QuantityFormat};
pub use parse::{InvalidQuantity, Parts, Suffix};
