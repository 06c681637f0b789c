//! The grammar of label selectors, with the server's messages.

use super::requirement::{Operator, Requirement};
use super::syntax::{Lexer, Token};
use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::Release;
use std::collections::BTreeSet;

/// Errors: the server's message for an invalid selector.
pub(super) fn requirements(text: &str, release: Release) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser {
        tokens: Lexer::new(text).tokens(),
        at: 0,
        release,
    };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            token if starts_requirement(&token) => {
                let requirement = parser
                    .requirement()
                    .map_err(|problem| format!("unable to parse requirement: {problem}"))?;
                requirements.push(requirement);
                match parser.next() {
                    Token::End => break,
                    Token::Comma => match parser.peek() {
                        token if starts_requirement(&token) => {}
                        found => {
                            return Err(format!("found '{found}', expected: identifier after ','"));
                        }
                    },
                    found => {
                        return Err(format!("found '{found}', expected: ',' or 'end of string'"));
                    }
                }
            }
            Token::End => break,
            found => {
                return Err(format!(
                    "found '{found}', expected: !, identifier, or 'end of string'"
                ));
            }
        }
    }
    requirements.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Ok(requirements)
}

/// Whether a requirement begins with a token. Keywords are keys there.
fn starts_requirement(token: &Token) -> bool {
    *token == Token::Not || token.word().is_some()
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    release: Release,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let negated = self.peek() == Token::Not;
        if negated {
            self.next();
        }
        let token = self.next();
        let Some(key) = token.word().map(str::to_owned) else {
            return Err(format!("found '{token}', expected: identifier"));
        };
        check_key(&key, self.release)?;
        if negated {
            return Ok(Requirement {
                key,
                operator: Operator::DoesNotExist,
                values: Vec::new(),
            });
        }
        if matches!(self.peek(), Token::End | Token::Comma) {
            return Ok(Requirement {
                key,
                operator: Operator::Exists,
                values: Vec::new(),
            });
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => vec![self.exact_value()?],
        };
        check_values(&key, operator, &values, self.release)?;
        Ok(Requirement {
            key,
            operator,
            values,
        })
    }

    fn operator(&mut self) -> Result<Operator, String> {
        Ok(match self.next() {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals | Token::DoubleEquals => Operator::Equals,
            Token::NotEquals => Operator::NotEquals,
            Token::GreaterThan => Operator::GreaterThan,
            Token::LessThan => Operator::LessThan,
            found => {
                return Err(format!(
                    "found '{found}', expected: in, notin, =, ==, !=, gt, lt"
                ));
            }
        })
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        match self.next() {
            Token::Open => {}
            found => return Err(format!("found '{found}' expected: '('")),
        }
        let mut values = Vec::new();
        let mut after_value = false;
        loop {
            match self.next() {
                Token::Close => {
                    // An empty place before or after a comma is an empty value.
                    if !after_value {
                        values.push(String::new());
                    }
                    return Ok(values);
                }
                Token::Comma => {
                    if !after_value {
                        values.push(String::new());
                    }
                    after_value = false;
                }
                token if !after_value && token.word().is_some() => {
                    values.extend(token.word().map(str::to_owned));
                    after_value = true;
                }
                found if after_value => {
                    return Err(format!("found '{found}', expected: ',' or ')'"));
                }
                found if values.is_empty() => {
                    return Err(format!("found '{found}', expected: ',', ')' or identifier"));
                }
                found => {
                    return Err(format!("found '{found}', expected: ',', or identifier"));
                }
            }
        }
    }

    fn exact_value(&mut self) -> Result<String, String> {
        match self.peek() {
            Token::End | Token::Comma => Ok(String::new()),
            token => match token.word() {
                Some(word) => {
                    self.at += 1;
                    Ok(word.to_owned())
                }
                None => Err(format!("found '{token}', expected: identifier")),
            },
        }
    }
}

fn check_key(key: &str, release: Release) -> Result<(), String> {
    match &validate::label_key(key, release)[..] {
        [] => Ok(()),
        messages => {
            let messages = messages.join("; ");
            Err(format!("<nil>: Invalid value: {}: {messages}", quote(key)))
        }
    }
}

/// Errors: the problems of all values, which the server sorts.
fn check_values(
    key: &str,
    operator: Operator,
    values: &[String],
    release: Release,
) -> Result<(), String> {
    let values: BTreeSet<&String> = values.iter().collect();
    let mut problems = Vec::new();
    if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
        for value in values.iter().filter(|value| value.parse::<i64>().is_err()) {
            problems.push(format!(
                "values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                quote(value)
            ));
        }
    }
    for (index, value) in values.into_iter().enumerate() {
        let messages = validate::label_value(value, release);
        if !messages.is_empty() {
            let messages = messages.join("; ");
            problems.push(format!(
                "values[{index}][{key}]: Invalid value: {}: {messages}",
                quote(value)
            ));
        }
    }
    match &problems[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}
