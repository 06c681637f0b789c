//! `--comment markdown`: the output of a command as a comment that a bot can post.

use super::escape::one_line;
use super::streams::Streams;
use crate::exit::Exit;
use crate::failure::Failure;
use clap::ValueEnum;
use std::io::Write;

/// The most characters of the details: code hosts limit comments to 65,536.
const MOST: usize = 60_000;

/// The option for comments.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CommentArg {
    /// Print a summary for a comment on a merge request, with the details folded
    #[arg(long, value_name = "FORMAT")]
    comment: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown for GitHub, GitLab and others
    Markdown,
}

/// A comment: the title names the command, and the language is that of its output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    title: &'static str,
    language: &'static str,
}

impl CommentArg {
    /// The comment, if the user wants one.
    pub(crate) fn of(self, title: &'static str, language: &'static str) -> Option<Comment> {
        self.comment.map(|_| Comment { title, language })
    }
}

impl Comment {
    /// Runs a command, and prints its output as a comment.
    pub(crate) fn around(
        self,
        streams: &mut Streams,
        run: &dyn Fn(&mut Streams) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let Self { title, language } = self;
        let result = streams.captured(run);
        let facts = std::mem::take(&mut streams.facts);
        let (text, result) = match result {
            Ok((exit, details)) => {
                let mut text = markdown(title, language, &facts, &details);
                if details.trim().is_empty() && exit == Exit::Success {
                    text.push_str("No changes and no findings.\n");
                }
                (text, Ok(exit))
            }
            // Otherwise a bot would post an empty comment, or none.
            Err(failure) => {
                let code = failure.exit() as u8;
                let text = format!(
                    "### {title}\n\nThe command ended with exit code {code}. Its log has the error.\n"
                );
                (text, Err(failure))
            }
        };
        streams.out.data().write_all(text.as_bytes())?;
        result
    }
}

fn markdown(title: &str, language: &str, facts: &[(String, String)], details: &str) -> String {
    let mut text = format!("### {title}\n\n");
    if !facts.is_empty() {
        text.push_str("| | |\n|---|---|\n");
        for (what, value) in facts {
            text.push_str(&format!("| {} | {} |\n", cell(what), cell(value)));
        }
        text.push('\n');
    }
    if details.trim().is_empty() {
        return text;
    }
    let shown = match details.char_indices().nth(MOST) {
        Some((end, _)) => &details[..end],
        None => details,
    };
    // Longer than every fence inside.
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    text.push_str("<details><summary>Details</summary>\n\n");
    text.push_str(&format!(
        "{fence}{language}\n{}\n{fence}\n",
        shown.trim_end()
    ));
    if shown.len() < details.len() {
        text.push_str("\nThe rest is left out.\n");
    }
    text.push_str("\n</details>\n");
    text
}

/// The characters of markup, of formulas, of links and of references to people and issues.
const MARKUP: &[char] = &[
    '|', '*', '_', '~', '`', '[', ']', '<', '>', '\\', '&', '$', '@', '#', ':',
];

/// The text of a cell: no line breaks, no columns, no markup, and no links, which code hosts make of some bare words.
fn cell(text: &str) -> String {
    let mut safe = String::new();
    let text = text.replace(['\n', '\r'], " ");
    for c in one_line(&text).chars() {
        let begins_link = c == '.' && safe.to_ascii_lowercase().ends_with("www");
        match begins_link || MARKUP.contains(&c) {
            true => safe.push_str(&format!("&#{};", u32::from(c))),
            false => safe.push(c),
        }
    }
    safe
}
