//! The output of the program: help, errors and what the README shows, word for word; JSON; comments for merge requests.
//!
//! Each `$` line of the files below is run; `TRYCMD=overwrite cargo test -p kubectl-flowcontrol --test cli as_written_down` writes
//! down what comes out.

mod commands;
mod comments;
mod examples;
mod json;

#[test]
fn output_is_as_written_down() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("README.md")
        .case("tests/cmd/*.trycmd");
}
