//! The manifests in documentation: in the blocks of Markdown, AsciiDoc, reStructuredText, Org and HTML.

use super::edit::apply;
use super::findings::{About, Finding, Rule, Severity};
use super::programs::uses;
use super::read::{Text, may_mention};
use super::result::{MigratedObject, Migration};
use super::settings::Settings;
use super::whole_text::migrate;
use crate::documents::Form;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Migrates the manifests in the blocks of documentation: fences, source blocks, directives and indented text that are marked as
/// YAML or JSON, or read as an object of the group. Everything else stays.
///
/// An error in a block leaves that block unchanged, and is a place to change by hand: documentation may show wrong manifests.
/// Other mentions in a block, such as a command, are notes. An object that the text shows in several versions, as before and after a
/// migration, stays in each.
pub fn migrate_fences(text: &str, settings: Settings) -> Migration {
    let mut result = Migration::default();
    let mut examples = Vec::new();
    for block in blocks(text) {
        let content = without_callouts(&text[block.range.clone()]);
        let content = content.as_ref();
        if is_diff(content) {
            continue;
        }
        let form = match block.language {
            Language::Manifest(form) => Some(form),
            _ if !may_mention(content.as_bytes()) => continue,
            Language::Other => None,
            Language::Unknown => object_form(content),
        };
        let Some(form) = form else {
            result
                .findings
                .extend(commands(content, block.range.start, settings));
            continue;
        };
        let mut inner = migrate(content, form, settings);
        inner.shift(block.range.start);
        examples.push(inner);
    }
    let compared = compared(&examples);
    for mut inner in examples {
        if let Some(why) = intended(&inner, &compared)
            && let Some(edit) = inner.edits.first()
        {
            let message = format!("this example is unchanged, because {why}");
            let finding = Finding::new(Severity::Note, Rule::Mention, edit.span.start, message);
            inner.findings.push(finding);
            inner.objects.clear();
            inner.edits.clear();
        }
        for finding in &mut inner.findings {
            // An example may show anything beside objects.
            let most = match finding.rule {
                Rule::Mention => Severity::Note,
                _ => Severity::Manual,
            };
            finding.severity = finding.severity.min(most);
        }
        // An example without a mention need not be complete.
        inner
            .findings
            .retain(|finding| finding.rule != Rule::NotChecked);
        result.objects.extend(inner.objects);
        result.findings.extend(inner.findings);
        result.skipped += inner.skipped;
        result.edits.extend(inner.edits);
    }
    result.findings.sort_by_key(|finding| finding.offset);
    if !result.edits.is_empty() {
        result.text = Some(apply(text, &result.edits));
    }
    result
}

/// The kind and the name of an object in an example.
type Identity = (String, Option<String>);

/// The objects that the examples show in more than one version, as before and after a migration.
fn compared(examples: &[Migration]) -> HashSet<Identity> {
    let mut versions: HashMap<Identity, &str> = HashMap::new();
    let mut compared = HashSet::new();
    for object in examples.iter().flat_map(|example| &example.objects) {
        let identity = (object.kind.clone(), object.name.clone());
        let Some(from) = object.from.as_deref() else {
            continue;
        };
        if *versions.entry(identity.clone()).or_insert(from) != from {
            compared.insert(identity);
        }
    }
    compared
}

/// The reason why an example shows an old version, if one is known.
fn intended(example: &Migration, compared: &HashSet<Identity>) -> Option<&'static str> {
    let is_compared =
        |object: &MigratedObject| compared.contains(&(object.kind.clone(), object.name.clone()));
    if example.findings.iter().any(names_version) {
        Some("a comment in it names its version")
    } else if example.objects.iter().any(is_compared) {
        Some("another one shows the same object in another version")
    } else {
        None
    }
}

/// Whether a finding is a comment with another version, such as the request for the object below it.
fn names_version(finding: &Finding) -> bool {
    finding.rule == Rule::Comment && finding.about == About::Version
}

/// A block with blanks in place of callouts: the numbers such as `<1>`, or `<.>` for the next one, at the ends of lines, which AsciiDoc
/// explains below the block.
fn without_callouts(content: &str) -> Cow<'_, str> {
    if !content.contains('<') {
        return Cow::Borrowed(content);
    }
    let lines = content.split_inclusive('\n').map(|line| {
        let content = line.trim_end_matches(['\r', '\n']);
        let mut kept = content.trim_end();
        while let Some(before) = before_callout(kept) {
            kept = before;
        }
        let blanks = " ".repeat(content.len() - kept.len());
        [kept, &blanks, &line[content.len()..]].concat()
    });
    Cow::Owned(lines.collect())
}

fn before_callout(line: &str) -> Option<&str> {
    let (before, number) = line.strip_suffix('>')?.rsplit_once('<')?;
    let is_number =
        number == "." || !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && before.ends_with([' ', '\t'])).then(|| before.trim_end())
}

/// Whether a block shows a change, with lines that are added and lines that are removed.
fn is_diff(content: &str) -> bool {
    let begins = |mark: char| {
        let mut lines = content.lines();
        lines.any(|line| line.starts_with(mark) && !line.starts_with("---"))
    };
    begins('+') && begins('-')
}

/// Notes for the lines of a block that is not a manifest.
fn commands(content: &str, start: usize, settings: Settings) -> Vec<Finding> {
    let mut findings = uses(content, settings.to);
    for finding in &mut findings {
        finding.severity = Severity::Note;
        finding.offset += start;
    }
    findings
}

/// The form of a block without a mark that holds an object of the group from its first line on.
fn object_form(content: &str) -> Option<Form> {
    let first = content
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let is_yaml = ["apiVersion:", "kind:", "---", "- apiVersion:", "#"]
        .iter()
        .any(|key| first.starts_with(key));
    match first.chars().next() {
        Some('{') => Some(Form::Json),
        _ if is_yaml => Some(Form::Yaml),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Manifest(Form),
    /// Another language, such as a programming language.
    Other,
    /// The block does not have a mark.
    Unknown,
}

struct Block {
    language: Language,
    range: Range<usize>,
}

/// A block that is still open.
struct Open {
    language: Language,
    end: End,
    start: usize,
}

enum End {
    /// A line of at least this many of these characters.
    Fence(char, usize),
    /// A line that begins with this text, in lower case.
    Line(&'static str),
    /// A line with content and at most this indentation.
    Indentation(usize),
}

/// The blocks of a text in any of the markup languages.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Open> = None;
    // The form that the line before names, as `[source,yaml]` and `.. code-block:: yaml` do.
    let mut named: Option<Language> = None;
    let mut is_blank = true;
    let mut start = Text::new(text).mark;
    for line in text[start..].split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let content = line.trim();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(block) = &open {
            let ends = match block.end {
                End::Fence(mark, least) => {
                    let length = content.len() - content.trim_start_matches(mark).len();
                    length >= least && length == content.len() && !content.is_empty()
                }
                End::Line(word) => content.to_ascii_lowercase().starts_with(word),
                End::Indentation(least) => !content.is_empty() && indent <= least,
            };
            if !ends {
                continue;
            }
            blocks.push(Block {
                language: block.language,
                range: block.start..begin,
            });
            let is_indented = matches!(block.end, End::Indentation(_));
            open = None;
            if !is_indented {
                named = None;
                is_blank = false;
                continue;
            }
        }
        open = opened(content, indent, start, &mut named);
        let is_indented_code =
            open.is_none() && is_blank && indent >= 4 && object_form(content).is_some();
        if is_indented_code {
            open = Some(Open {
                language: Language::Unknown,
                end: End::Indentation(3),
                start: begin,
            });
        }
        is_blank = content.is_empty();
    }
    blocks.extend(
        open.filter(|block| matches!(block.end, End::Indentation(_)))
            .map(|block| Block {
                language: block.language,
                range: block.start..text.len(),
            }),
    );
    blocks
}

/// The block that a line opens; `start` is the start of the next line.
fn opened(
    content: &str,
    indent: usize,
    start: usize,
    named: &mut Option<Language>,
) -> Option<Open> {
    let block = |language, end| {
        Some(Open {
            language,
            end,
            start,
        })
    };
    let lower = content.to_ascii_lowercase();
    let mark = content.chars().next()?;
    let info = content.trim_start_matches(mark);
    let length = content.len() - info.len();
    if matches!(mark, '`' | '~') && length >= 3 {
        return block(language(info), End::Fence(mark, length));
    }
    if matches!(mark, '-' | '.' | '=') && length >= 4 && info.is_empty() {
        // A delimited block of AsciiDoc. Without a mark it may be a heading or a rule.
        let language = named.take()?;
        return block(language, End::Fence(mark, length));
    }
    if let Some(attributes) = lower.strip_prefix("[source") {
        let mut words = attributes.split([',', ']', '%']).map(language);
        *named = words.find(|language| *language != Language::Unknown);
        return None;
    }
    if content.starts_with('[') || content.starts_with('.') && !content.starts_with("..") {
        // Other attributes, and the title of a block.
        return None;
    }
    for directive in [".. code-block::", ".. code::", ".. sourcecode::"] {
        if let Some(language) = lower.strip_prefix(directive) {
            return block(self::language(language), End::Indentation(indent));
        }
    }
    if let Some(language) = lower.strip_prefix("#+begin_src") {
        return block(self::language(language), End::Line("#+end_src"));
    }
    if lower.starts_with("<pre") {
        return block(Language::Unknown, End::Line("</"));
    }
    if content.ends_with("::") && !content.starts_with("..") {
        return block(Language::Unknown, End::Indentation(indent));
    }
    *named = None;
    None
}

/// The language that the words after the mark name.
fn language(info: &str) -> Language {
    let is_end = |character: char| !character.is_ascii_alphanumeric();
    let word = info.trim().trim_start_matches(['{', '.', '"']);
    let word = word.split(is_end).next().unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "yaml" | "yml" => Language::Manifest(Form::Yaml),
        "json" => Language::Manifest(Form::Json),
        "" => Language::Unknown,
        _ => Language::Other,
    }
}
