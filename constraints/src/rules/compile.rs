//! From the text of rules to programs.

use super::functions;
use crate::schema::{Compiled, Node, Nodes};
use cel::common::ast::{EntryExpr, Expr};
use cel::{Env, IdedExpr, Program};
use std::sync::{Arc, OnceLock};

/// Longer rules are not compiled: the parser takes stack for each operator.
const MAX_BYTES: usize = 8192;

/// More brackets inside each other are not compiled.
const MAX_NESTING: usize = 60;

/// Deeper expressions are not evaluated.
const MAX_DEPTH: usize = 40;

/// The parser takes tens of kilobytes of stack for each level.
const STACK: usize = 256 << 20;

pub(super) fn environment() -> &'static Arc<Env> {
    static ENVIRONMENT: OnceLock<Arc<Env>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| Arc::new(functions::environment()))
}

fn visit(root: &mut Node, definitions: &mut Nodes, change: &mut dyn FnMut(&mut Node)) {
    for node in std::iter::once(root).chain(definitions.values_mut()) {
        node.visit(change);
    }
}

pub(crate) fn compile(root: &mut Node, definitions: &mut Nodes) {
    let mut has_rules = false;
    let mut look = |node: &mut Node| has_rules |= !node.rules.is_empty();
    visit(root, definitions, &mut look);
    if !has_rules {
        return;
    }
    let mut compile = |node: &mut Node| {
        for rule in &mut node.rules {
            rule.compiled = program(&rule.text);
            rule.compiled_message = program(rule.message_expression.trim());
        }
    };
    let compiled = with_stack(|| visit(root, definitions, &mut compile));
    if let Err(error) = compiled {
        let mut refuse = |node: &mut Node| {
            for rule in &mut node.rules {
                rule.compiled = Compiled::NotChecked(error.clone());
            }
        };
        visit(root, definitions, &mut refuse);
    }
}

/// Why each of these rules cannot be checked by this library; `None` for those that can.
///
/// ```
/// let reasons = k8s_flowcontrol_constraints::uncheckable(&["self.a > 1", "quantity(self.size).mul(2).sign() == 1"]);
/// assert_eq!(reasons, [None, Some("the function `mul` is not supported".to_owned())]);
/// ```
pub fn uncheckable(rules: &[&str]) -> Vec<Option<String>> {
    let reason = |rule: &&str| match program(rule.trim()) {
        Compiled::NotChecked(reason) => Some(reason),
        _ => None,
    };
    match with_stack(|| rules.iter().map(reason).collect()) {
        Ok(reasons) => reasons,
        Err(error) => vec![Some(error); rules.len()],
    }
}

/// Runs `work` in a thread with enough stack for the parser. A fault of the parser is an error.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread
            .spawn_scoped(scope, work)
            .map_err(|error| format!("no thread for the parser: {error}"))?;
        thread.join().map_err(|_| {
            "the parser of CEL has a fault at this rule, or at another of the schema".to_owned()
        })
    })
}

fn program(text: &str) -> Compiled {
    if text.is_empty() {
        return Compiled::Empty;
    }
    if text.len() > MAX_BYTES {
        return Compiled::NotChecked(format!("it has more than {MAX_BYTES} bytes"));
    }
    if nesting(text) > MAX_NESTING {
        let reason = format!("it has more than {MAX_NESTING} brackets inside each other");
        return Compiled::NotChecked(reason);
    }
    let program = match environment().compile(text) {
        Ok(program) => program,
        Err(error) => {
            let error = error.to_string();
            let line = error.lines().next().unwrap_or_default();
            let line = line.rsplit("Syntax error: ").next().unwrap_or(line);
            return Compiled::NotChecked(format!("it cannot be parsed: {line}"));
        }
    };
    match unsupported(&program) {
        Some(reason) => Compiled::NotChecked(reason),
        None => Compiled::Program(Box::new(program)),
    }
}

fn unsupported(program: &Program) -> Option<String> {
    let references = program.references();
    let mut functions = references.functions();
    functions.sort_unstable();
    let unknown = functions.into_iter().find(|name| {
        // Operators, and what macros become.
        !name.starts_with(['_', '@', '!', '-']) && !functions::is_known(name)
    });
    match unknown {
        Some(name) => Some(format!("the function `{name}` is not supported")),
        None if depth(program.expression()) > MAX_DEPTH => {
            Some(format!("it has more than {MAX_DEPTH} levels"))
        }
        None => None,
    }
}

/// The most brackets that are open at once, also in strings.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// The levels of an expression.
fn depth(expression: &IdedExpr) -> usize {
    let most = |children: &mut dyn Iterator<Item = &IdedExpr>| children.map(depth).max();
    let entry = |entry: &EntryExpr| match entry {
        EntryExpr::StructField(field) => depth(&field.value),
        EntryExpr::MapEntry(entry) => depth(&entry.key).max(depth(&entry.value)),
    };
    let inner = match &expression.expr {
        Expr::Call(call) => most(&mut call.target.iter().map(|target| &**target).chain(&call.args)),
        Expr::Comprehension(all) => most(
            &mut [
                &all.iter_range,
                &all.accu_init,
                &all.loop_cond,
                &all.loop_step,
                &all.result,
            ]
            .into_iter(),
        ),
        Expr::List(list) => most(&mut list.elements.iter()),
        Expr::Map(map) => map.entries.iter().map(|one| entry(&one.expr)).max(),
        Expr::Struct(fields) => fields.entries.iter().map(|one| entry(&one.expr)).max(),
        Expr::Select(select) => Some(depth(&select.operand)),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => None,
    };
    1 + inner.unwrap_or_default()
}
