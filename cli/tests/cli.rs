//! The program's output, word for word: help, errors, and what the README shows.
//!
//! Each `$` line of the files below is run; `TRYCMD=overwrite cargo test -p kubectl-flowcontrol --test cli` writes
//! down what comes out.

#[test]
fn output_is_as_written_down() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("README.md")
        .case("tests/cmd/*.trycmd");
}
