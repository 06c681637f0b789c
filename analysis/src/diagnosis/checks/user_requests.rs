//! The requests of the scope's user.

use super::{Check, Context, Observation, Report, Severity, count};
use crate::diagnosis::context::{is_by, level_of};
use crate::diagnosis::evidence::PrivateName;
use crate::diagnosis::moment::dumped_requests;
use k8s_flowcontrol_types::api::v1::{FlowSchema, Subject};
use k8s_flowcontrol_types::{Kind, Resource};
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    id: "user-requests",
    summary: "The flow schemas and priority levels of a user's requests, and the requests themselves.",
    run,
};

/// The subjects of a rule that are shown.
const SUBJECTS: usize = 3;

const SCHEMAS_ACTION: &str =
    "use `match` with the verb and resource of a request to see its FlowSchema and the reason";

fn run(context: &Context<'_>, report: &mut Report) {
    let Some(user) = context.scope.user else {
        return;
    };
    let name = context.user_name(&user.name);
    let (schemas, _) = context.schemas_of(user);
    let list: Vec<_> = schemas
        .iter()
        .map(|(schema, _)| format!("{} (priority level {})", schema.name(), level_of(schema)))
        .collect();
    let message = match list.is_empty() {
        true => {
            format!("no FlowSchema has a rule for {name}, so that catch-all takes the requests")
        }
        false => format!(
            "the requests of {name} {} FlowSchema {}",
            if context.scope.any_groups {
                "might get"
            } else {
                "get"
            },
            list.join(", or else ")
        ),
    };
    let evidence = schemas.iter().map(|(schema, rule)| {
        let path = format!("spec.rules[{rule}].subjects");
        let subjects = subjects_of(context, schema, *rule);
        Observation::field(Kind::FlowSchema, schema.name(), &path, subjects)
    });
    report.cluster(
        Severity::Note,
        None,
        message,
        evidence.collect(),
        SCHEMAS_ACTION,
    );
    in_dumps(context, &user.name, &name, report);
    in_log(context, &name, report);
}

/// The first subjects of a rule.
fn subjects_of(context: &Context<'_>, schema: &FlowSchema, rule: usize) -> String {
    let subjects = schema.spec.rules.get(rule).map(|rule| &rule.subjects[..]);
    let subjects = subjects.unwrap_or_default();
    let shown = subjects.iter().take(SUBJECTS);
    let mut shown: Vec<_> = shown.filter_map(|one| subject_of(context, one)).collect();
    let more = subjects.len().saturating_sub(SUBJECTS);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

fn subject_of(context: &Context<'_>, subject: &Subject) -> Option<String> {
    let group = |name: &str| format!("group {}", context.scope.name(PrivateName::Group(name)));
    if let Some(user) = &subject.user {
        return Some(context.user_name(&user.name));
    }
    if let Some(named) = &subject.group {
        return Some(group(&named.name));
    }
    let account = subject.service_account.as_ref()?;
    Some(match account.name.as_str() {
        "*" => group(&format!("system:serviceaccounts:{}", account.namespace)),
        name => context.user_name(&format!(
            "system:serviceaccount:{}:{name}",
            account.namespace
        )),
    })
}

/// The requests that wait and execute now.
fn in_dumps(context: &Context<'_>, user: &str, name: &str, report: &mut Report) {
    for load in context.loads() {
        let (mut waiting, mut executing) = (0_i64, 0_i64);
        for request in dumped_requests(load.server, load.name()) {
            match (is_by(request, user), request.index_in_queue) {
                (false, _) => {}
                (true, Some(_)) => waiting += 1,
                (true, None) => executing += 1,
            }
        }
        if waiting == 0 && executing == 0 {
            continue;
        }
        let level = load.name();
        let execute = if executing == 1 {
            "executes"
        } else {
            "execute"
        };
        let wait = if waiting == 1 { "waits" } else { "wait" };
        let message = match waiting {
            0 => format!(
                "{} of {name} {execute} in priority level {level}, and none waits",
                count(executing, "request")
            ),
            _ => format!(
                "{} of {name} {wait} in priority level {level}, and {executing} {execute}",
                count(waiting, "request")
            ),
        };
        let row = |what: &str, value| {
            let what = format!("{what} requests of {name} in {}", load.name());
            load.in_dump_requests(what, value)
        };
        let evidence = vec![row("waiting", waiting), row("executing", executing)];
        let (severity, action) = match waiting {
            0 => (Severity::Note, "nothing: the requests execute"),
            _ => (
                Severity::Problem,
                "see the other findings about this priority level",
            ),
        };
        report.level(severity, load, message, evidence, action);
    }
}

fn in_log(context: &Context<'_>, name: &str, report: &mut Report) {
    let Some(log) = &context.evidence.log else {
        return;
    };
    let mut classes = BTreeMap::<(&str, &str), (u64, u64)>::new();
    for ((schema, level, _), requests) in &log.of_user {
        let sums = classes.entry((schema, level)).or_default();
        sums.0 += requests.all;
        sums.1 += requests.rejected;
    }
    if classes.is_empty() {
        let message = format!("the audit logs do not contain a request of {name}");
        let evidence = vec![Observation::log("requests of all users", log.requests())];
        let action = "check the user name, and that the logs are of the time in question";
        report.cluster(Severity::Note, None, message, evidence, action);
    }
    for ((schema, level), (all, rejected)) in classes {
        let message = format!(
            "in the audit logs, FlowSchema {schema} took {} of {name} into priority level {level}, of which {rejected} {} \
             rejected",
            count(all, "request"),
            if rejected == 1 { "was" } else { "were" },
        );
        let evidence = vec![
            Observation::log(format!("requests of {name} in FlowSchema {schema}"), all),
            Observation::log(
                format!("rejected requests of {name} in FlowSchema {schema}"),
                rejected,
            ),
        ];
        let severity = if rejected > 0 {
            Severity::Risk
        } else {
            Severity::Note
        };
        report.cluster(severity, Some(level), message, evidence, SCHEMAS_ACTION);
    }
}
