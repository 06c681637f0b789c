//! The blocks of a template: `if` with its branches, choices between two values, and named templates, in all syntaxes alike.

use super::chain::{Branch, Chain, choice};
use super::template::{Action, Syntax, inside};
use super::velocity::word;
use k8s_flowcontrol_text::Span;

/// The blocks of a template.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Every `if` and every choice, an inner one before the one around it.
    pub(crate) chains: Vec<Chain>,
    /// The named templates.
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

#[cfg(test)]
mod tests {
    use super::super::template::actions;
    use super::*;

    fn shown(text: &str) -> (Vec<Vec<&str>>, Vec<String>) {
        let blocks = blocks(text, &actions(text).unwrap());
        let bodies = |chain: &Chain| {
            let bodies = chain.branches.iter().map(|branch| branch.body.range());
            bodies.map(|range| text[range].trim()).collect()
        };
        let names = blocks.definitions.into_iter().map(|found| found.name);
        (blocks.chains.iter().map(bodies).collect(), names.collect())
    }

    #[test]
    fn go_and_jinja_have_the_same_blocks() {
        let go = "{{- define \"a.b\" -}}{{ if .x }}1{{ else if .y }}{{ with .z }}2{{ end }}{{- else }}3{{ end }}{{ end }}";
        let (chains, names) = shown(go);
        assert_eq!(chains, [["1", "{{ with .z }}2{{ end }}", "3"]]);
        assert_eq!(names, ["a.b"]);
        let jinja = "{% macro b(x) %}{%- if x %}1{% elif y %}2{% else %}{% if z %}3{% endif %}{% endif -%}{% endmacro %}";
        let (chains, names) = shown(jinja);
        assert_eq!(
            chains,
            [vec!["3"], vec!["1", "2", "{% if z %}3{% endif %}"]]
        );
        assert_eq!(names, ["b"]);
        let ytt = "#@ if x:\n1\n#@ elif y:\n2\n#@ else:\n3\n#@ end\n";
        assert_eq!(shown(ytt).0, [["1", "2", "3"]]);
        let erb = "<% if x %>1<% elsif y %>2<% a.each do |b| %><% end %><% end %>";
        assert_eq!(shown(erb).0, [["1", "2<% a.each do |b| %><% end %>"]]);
        let velocity = "#if($x)\n1\n#elseif ($y)\n2\n#foreach($z in $w)\n#end\n#else\n3\n#end\n";
        assert_eq!(
            shown(velocity).0,
            [["1", "2\n#foreach($z in $w)\n#end", "3"]]
        );
        assert_eq!(shown("{{ if .x }}1"), (vec![], vec![]));
    }
}
