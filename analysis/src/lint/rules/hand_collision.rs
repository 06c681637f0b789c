//! Queues and hand sizes that isolate flows badly.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_rules::objects;
use k8s_flowcontrol_rules::sharding::Dealer;

pub(super) const RULE: Rule = Rule {
    id: "hand-collision",
    severity: Severity::Warning,
    summary: "A few heavy flows are likely to fill every queue of a small flow.",
    check,
};

/// The maximum acceptable probability with one heavy flow.
const ONE_ELEPHANT: f64 = 0.01;
/// The maximum acceptable probability with four heavy flows.
const FOUR_ELEPHANTS: f64 = 0.5;

fn check(context: &Context, report: &mut Report) {
    for level in context.user_levels() {
        let Some((queues, hand_size)) = objects::queuing(&level.object) else {
            continue;
        };
        // A single queue does not use shuffle sharding.
        let Some(dealer) = Dealer::new(queues, hand_size).ok().filter(|_| queues > 1) else {
            continue;
        };
        let (one, four) = (dealer.squish_probability(1), dealer.squish_probability(4));
        if one < ONE_ELEPHANT && four < FOUR_ELEPHANTS {
            continue;
        }
        let message = format!(
            "with {queues} queues and hand size {hand_size}, one heavy flow fills all queues of a small flow \
             with probability {}, and four heavy flows with probability {}",
            percent(one),
            percent(four),
        );
        let help = "use more queues and a hand of about 6 to 8, such as handSize 8 and queues 64";
        report.level(
            level,
            "spec.limited.limitResponse.queuing.handSize",
            message,
            help,
        );
    }
}

fn percent(probability: f64) -> String {
    format!("{:.2} %", probability * 100.0)
}
