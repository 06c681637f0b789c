//! Expressions of PromQL from their text.

use super::token::{Token, tokens};
use super::{Aggregation, Expression, Matcher, Operator, RangeFunction, Selected};

/// The deepest nesting of parentheses.
const MAX_DEPTH: usize = 50;

/// Reads an expression; an error is the place that is not understood.
pub(in super::super) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser {
        tokens: tokens(text).map_err(str::to_owned)?,
        next: 0,
        depth: 0,
    };
    let expression = parser.binary(0);
    match expression.filter(|_| parser.next == parser.tokens.len()) {
        Some(expression) => Ok(expression),
        None => Err(match parser.tokens.get(parser.next) {
            Some(token) => format!("{token:?}"),
            None => "the end".to_owned(),
        }),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.peek()?.clone();
        self.next += 1;
        Some(token)
    }

    /// Takes a sign or a word, if it comes next.
    fn has(&mut self, text: &str) -> bool {
        let is_next = match self.peek() {
            Some(Token::Sign(sign)) => *sign == text,
            Some(Token::Word(word)) => word == text,
            _ => false,
        };
        self.next += usize::from(is_next);
        is_next
    }

    fn pass(&mut self, text: &str) -> Option<()> {
        self.has(text).then_some(())
    }

    fn operator(&self) -> Option<Operator> {
        let text = match self.peek()? {
            Token::Sign(sign) => sign,
            Token::Word(word) => word.as_str(),
            _ => return None,
        };
        Some(match text {
            "or" => Operator::Or,
            "and" => Operator::And,
            "<" => Operator::Less,
            ">" => Operator::Greater,
            ">=" => Operator::AtLeast,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            _ => return None,
        })
    }

    /// Operands and operators that bind tighter than `strength`.
    fn binary(&mut self, strength: u8) -> Option<Expression> {
        let mut left = self.operand()?;
        while let Some(operator) = self.operator().filter(|own| own.strength() > strength) {
            self.next += 1;
            let on = match self.has("on") {
                true => Some(self.labels()?),
                false => None,
            };
            // It permits several elements of the left side, which differ in their labels anyway.
            if self.has("group_left") {
                self.labels()?;
            }
            let right = self.binary(operator.strength())?;
            left = Expression::Binary {
                operator,
                on,
                left: Box::new(left),
                right: Box::new(right),
            };
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<Expression> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = match self.take()? {
            Token::Number(number) => Some(Expression::Number(number)),
            Token::Sign("(") => self.inside(),
            Token::Word(word) => self.named(&word),
            _ => None,
        };
        self.depth -= 1;
        found
    }

    /// An expression and the parenthesis that closes it.
    fn inside(&mut self) -> Option<Expression> {
        let inner = self.binary(0)?;
        self.pass(")")?;
        Some(inner)
    }

    fn named(&mut self, word: &str) -> Option<Expression> {
        let aggregation = match word {
            "sum" => Some(Aggregation::Sum),
            "max" => Some(Aggregation::Maximum),
            _ => None,
        };
        if let Some(function) = aggregation {
            let by = match self.has("by") {
                true => self.labels()?,
                false => Vec::new(),
            };
            self.pass("(")?;
            let inner = Box::new(self.inside()?);
            return Some(Expression::Aggregate {
                function,
                by,
                inner,
            });
        }
        if !self.has("(") {
            return Some(Expression::Series(self.selected(word)?));
        }
        let function = match word {
            "rate" => RangeFunction::Rate,
            "increase" => RangeFunction::Increase,
            "avg_over_time" => RangeFunction::Average,
            "min_over_time" => RangeFunction::Minimum,
            "absent" => {
                let Some(Token::Word(name)) = self.take() else {
                    return None;
                };
                let series = self.selected(&name)?;
                self.pass(")")?;
                return Some(Expression::Absent(series));
            }
            "histogram_quantile" => {
                let Some(Token::Number(quantile)) = self.take() else {
                    return None;
                };
                self.pass(",")?;
                let inner = self.inside()?;
                return Some(Expression::Quantile(quantile, Box::new(inner)));
            }
            _ => return None,
        };
        let Some(Token::Word(name)) = self.take() else {
            return None;
        };
        let series = self.selected(&name)?;
        self.pass("[")?;
        let Some(Token::Word(duration)) = self.take() else {
            return None;
        };
        self.pass("]")?;
        self.pass(")")?;
        Some(Expression::Range {
            function,
            series,
            seconds: seconds(&duration)?,
        })
    }

    fn selected(&mut self, name: &str) -> Option<Selected> {
        let mut matchers = Vec::new();
        if self.has("{") {
            while !self.has("}") {
                matchers.push(self.matcher()?);
                if !self.has(",") {
                    self.pass("}")?;
                    break;
                }
            }
        }
        Some(Selected {
            name: name.to_owned(),
            matchers,
        })
    }

    fn matcher(&mut self) -> Option<Matcher> {
        let (Token::Word(label), Token::Sign(sign), Token::Text(text)) =
            (self.take()?, self.take()?, self.take()?)
        else {
            return None;
        };
        let values = match sign {
            "=" | "!=" => vec![text],
            // Of regular expressions only lists of names are known.
            "=~" | "!~" => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '|');
                if !text.chars().all(is_plain) {
                    return None;
                }
                text.split('|').map(str::to_owned).collect()
            }
            _ => return None,
        };
        Some(Matcher {
            label,
            values,
            is_negative: sign.starts_with('!'),
        })
    }

    /// Labels in parentheses.
    fn labels(&mut self) -> Option<Vec<String>> {
        self.pass("(")?;
        let mut labels = Vec::new();
        while !self.has(")") {
            let Token::Word(label) = self.take()? else {
                return None;
            };
            labels.push(label);
            self.has(",");
        }
        Some(labels)
    }
}

/// The seconds of a duration such as `5m`.
fn seconds(duration: &str) -> Option<f64> {
    let unit = duration.chars().next_back()?;
    let factor = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        _ => return None,
    };
    let number: f64 = duration[..duration.len() - 1].parse().ok()?;
    Some(number * factor)
}
