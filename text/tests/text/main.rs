//! The readers and the writer, with texts of suites, at limits and at random.

mod json_suite;
mod limits;
mod to_yaml;
mod yaml_suite;
