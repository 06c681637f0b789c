//! What the readers and the writer do with texts of suites, of limits and at random.

mod json_suite;
mod limits;
mod to_yaml;
mod yaml_suite;
