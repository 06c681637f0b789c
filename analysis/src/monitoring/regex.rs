//! Regular expressions of label matchers. Prometheus reads them in the syntax of RE2.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    self, Ast, ErrorKind, Flag, FlagsItemKind, GroupKind, HexLiteralKind, Literal, LiteralKind,
    RepetitionKind, RepetitionRange, Span, Visitor,
};

/// The most repetitions that RE2 allows.
const MAX_REPETITIONS: u32 = 1000;

/// A place of a pattern that RE2 does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The character, counted from 1.
    pub(super) character: usize,
    pub(super) reason: String,
}

/// Checks that RE2 can compile a pattern. The parser reads the syntax of Rust's crate `regex`: what only RE2 understands is not an error,
/// and what only Rust understands is one.
pub(super) fn check(pattern: &str) -> Result<(), Fault> {
    let fault = |(span, reason): (Span, String)| Fault {
        character: before(pattern, &span).chars().count() + 1,
        reason,
    };
    match ParserBuilder::new().octal(true).build().parse(pattern) {
        Ok(ast) => ast::visit(&ast, OnlyRust).map_err(fault),
        Err(error) if is_only_re2(pattern, &error) => Ok(()),
        Err(error) => Err(fault((*error.span(), error.kind().to_string()))),
    }
}

/// The text before a place.
fn before<'a>(pattern: &'a str, span: &Span) -> &'a str {
    pattern.get(..span.start.offset).unwrap_or(pattern)
}

/// Whether RE2 may understand what is an error for Rust.
fn is_only_re2(pattern: &str, error: &ast::Error) -> bool {
    let rest = &pattern[before(pattern, error.span()).len()..];
    match error.kind() {
        // A brace that does not begin a repetition is a character.
        ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::DecimalEmpty => true,
        ErrorKind::RepetitionMissing => rest.starts_with('{'),
        // So is a bracket in a class.
        ErrorKind::ClassUnclosed => rest.get(1..).is_some_and(|class| class.contains('[')),
        // A quotation.
        ErrorKind::EscapeUnrecognized => rest.starts_with("\\Q"),
        _ => false,
    }
}

/// Finds what only Rust understands.
struct OnlyRust;

impl Visitor for OnlyRust {
    type Output = ();
    type Err = (Span, String);

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::Flags(set) => flags(&set.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(own) => flags(own),
                _ => Ok(()),
            },
            Ast::Literal(own) => literal(own),
            Ast::Repetition(repetition) => {
                let most = match &repetition.op.kind {
                    RepetitionKind::Range(
                        RepetitionRange::Exactly(most)
                        | RepetitionRange::AtLeast(most)
                        | RepetitionRange::Bounded(_, most),
                    ) => *most,
                    _ => 0,
                };
                if most > MAX_REPETITIONS {
                    let reason = format!("more than {MAX_REPETITIONS} repetitions");
                    return Err((repetition.op.span, reason));
                }
                match &*repetition.ast {
                    Ast::Repetition(_) => Err((
                        repetition.op.span,
                        "a repetition of a repetition without parentheses".to_owned(),
                    )),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ast::ClassSetItem::Literal(own) => literal(own),
            ast::ClassSetItem::Range(range) => literal(&range.start).and(literal(&range.end)),
            _ => Ok(()),
        }
    }
}

fn flags(flags: &ast::Flags) -> Result<(), (Span, String)> {
    let is_unknown = |item: &&ast::FlagsItem| {
        let unknown = [Flag::Unicode, Flag::CRLF, Flag::IgnoreWhitespace];
        matches!(&item.kind, FlagsItemKind::Flag(flag) if unknown.contains(flag))
    };
    match flags.items.iter().find(is_unknown) {
        Some(item) => Err((item.span, ErrorKind::FlagUnrecognized.to_string())),
        None => Ok(()),
    }
}

fn literal(literal: &Literal) -> Result<(), (Span, String)> {
    let kind = match &literal.kind {
        LiteralKind::HexFixed(HexLiteralKind::UnicodeShort | HexLiteralKind::UnicodeLong)
        | LiteralKind::HexBrace(HexLiteralKind::UnicodeShort | HexLiteralKind::UnicodeLong) => {
            ErrorKind::EscapeUnrecognized
        }
        // One digit refers to a group.
        LiteralKind::Octal
            if literal.c != '\0' && literal.span.end.offset - literal.span.start.offset == 2 =>
        {
            ErrorKind::UnsupportedBackreference
        }
        _ => return Ok(()),
    };
    Err((literal.span, kind.to_string()))
}
