//! The readers and the writers, with texts of suites, at limits and at random.

#[cfg(feature = "trees")]
mod go;
#[cfg(feature = "trees")]
mod json_suite;
#[cfg(feature = "trees")]
mod limits;
mod quantity;
#[cfg(feature = "trees")]
mod scalars;
#[cfg(feature = "trees")]
#[cfg(feature = "to-yaml")]
mod to_yaml;
#[cfg(feature = "trees")]
mod yaml_suite;
