//! The blocks of a template: `if` with its branches, choices between two values, and named templates, in all syntaxes alike.

use super::chain::{Branch, Chain, choice};
use super::template::{Action, Syntax, inside};
use super::velocity::word;
use k8s_flowcontrol_text::Span;

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Every `if` and every choice, an inner one before the one around it.
    pub(crate) chains: Vec<Chain>,
    pub(crate) definitions: Vec<Definition>,
}

/// A named template: `{{ define "app.labels" }} … {{ end }}`, or a macro.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// From the first brace of `define` to the last brace of `end`.
    pub(crate) span: Span,
}

/// A block that is still open.
enum Open {
    Chain(Span, Vec<Branch>),
    Definition(Span, String),
    Other,
}

/// The blocks of a text. A block without an end is skipped.
pub(crate) fn blocks(text: &str, actions: &[Action]) -> Blocks {
    let mut blocks = Blocks::default();
    let mut open: Vec<Open> = Vec::new();
    for action in actions {
        let span = action.span;
        let inside = inside(&text[span.range()]);
        let mut words = inside.split_whitespace();
        let first = words.next().unwrap_or_default().trim_end_matches(':');
        let first = match action.syntax {
            Syntax::Velocity => word(first),
            _ => first,
        };
        match (first, words.next()) {
            ("if", _) => {
                let body = Span::new(span.end, span.end);
                let first = Branch {
                    condition: span,
                    body,
                };
                open.push(Open::Chain(span, Vec::from([first])));
            }
            ("else" | "elif" | "elsif" | "elseif", _) => {
                if let Some(Open::Chain(_, branches)) = open.last_mut() {
                    close(branches, span.start);
                    branches.push(Branch {
                        condition: span,
                        body: Span::new(span.end, span.end),
                    });
                }
            }
            ("define" | "macro", Some(name)) => {
                let name = name.split('(').next().unwrap_or(name);
                open.push(Open::Definition(span, name.trim_matches('"').to_owned()));
            }
            // A `set` with a value does not open a block.
            (
                "with" | "range" | "block" | "for" | "foreach" | "call" | "filter" | "while"
                | "unless" | "case" | "begin",
                _,
            ) => {
                open.push(Open::Other);
            }
            ("def", Some(_)) if action.syntax == Syntax::Ytt => open.push(Open::Other),
            _ if action.syntax == Syntax::Erb && opens_block(inside) => open.push(Open::Other),
            _ if action.writes => blocks.chains.extend(choice(text, span)),
            (
                "end" | "endif" | "endmacro" | "endfor" | "endblock" | "endwith" | "endcall"
                | "endfilter",
                _,
            ) => match open.pop() {
                Some(Open::Chain(start, mut branches)) => {
                    close(&mut branches, span.start);
                    blocks.chains.push(Chain {
                        span: Span::new(start.start, span.end),
                        branches,
                        is_choice: false,
                    });
                }
                Some(Open::Definition(start, name)) => blocks.definitions.push(Definition {
                    name,
                    span: Span::new(start.start, span.end),
                }),
                Some(Open::Other) | None => {}
            },
            _ => {}
        }
    }
    blocks
}

/// Whether a statement of Ruby opens a block: `levels.each do |level|`.
fn opens_block(statement: &str) -> bool {
    let head = match statement.trim_end().strip_suffix('|') {
        Some(head) => head.rfind('|').map_or(head, |at| &head[..at]),
        None => statement,
    };
    head.trim_end().ends_with(" do")
}

fn close(branches: &mut [Branch], end: usize) {
    if let Some(last) = branches.last_mut() {
        last.body = Span::new(last.body.start, end);
    }
}
