//! Faults while a rule is evaluated, in a server's words.

use super::library::SERVER;
use cel::ExecutionError;

/// The words of a server about a wrong argument.
const WRONG_ARGUMENT: [&str; 3] = [
    "out of range",
    "invalid substring range",
    "optional.none() dereference",
];

#[derive(Debug)]
pub(super) enum Fault {
    /// The rule fails on this value on a server too, with these words.
    OfRule(String),
    /// This library cannot evaluate the rule.
    NotChecked(String),
}

impl From<ExecutionError> for Fault {
    fn from(error: ExecutionError) -> Self {
        match &error {
            ExecutionError::NoSuchKey(key) => Self::OfRule(format!("no such key: {key}")),
            ExecutionError::DivisionByZero(_) => Self::OfRule("division by zero".to_owned()),
            ExecutionError::RemainderByZero(_) => Self::OfRule("modulus by zero".to_owned()),
            ExecutionError::Overflow(..) => Self::OfRule("integer overflow".to_owned()),
            ExecutionError::IndexOutOfBounds(cel::Value::Int(index)) => {
                Self::OfRule(format!("index out of bounds: {index}"))
            }
            ExecutionError::DuplicateKey(_) => Self::OfRule(error.to_string()),
            ExecutionError::FunctionError { function, message } if function == SERVER => {
                Self::OfRule(message.clone())
            }
            // The functions for strings and optional values say by these words that an argument is wrong.
            ExecutionError::FunctionError { message, .. }
                if WRONG_ARGUMENT.iter().any(|words| message.contains(words)) =>
            {
                Self::OfRule(message.clone())
            }
            // A server checks the types of a rule before, so this is a gap of the library.
            _ => Self::NotChecked(error.to_string()),
        }
    }
}
