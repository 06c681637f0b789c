//! The remedies of a migration in the words of the command line.

use k8s_flowcontrol_manifests::Remedy;

/// A remedy with the options of `migrate`.
pub(crate) fn advice(remedy: &Remedy) -> String {
    match remedy {
        Remedy::AcceptLoss { instead, effect } => {
            let effect = effect.iter().map(|effect| format!("; {effect}"));
            format!("{instead}, or use --allow-loss{}", effect.collect::<String>())
        }
        Remedy::CheckAndAcceptLoss(check) => format!("{check}, then use --allow-loss"),
        Remedy::ForeignField {
            instead,
            live,
            file,
        } => {
            let instead = instead.iter().map(|change| format!("{change}; "));
            let options = match file {
                Some(file) if file == live => format!("--foreign-fields live or file {live}"),
                Some(file) => format!("--foreign-fields live {live}; --foreign-fields file {file}"),
                None => format!("--foreign-fields live {live}"),
            };
            instead.collect::<String>() + &options
        }
        Remedy::CheckRendered => {
            "check the rendered result: `--render` does so with Helm, or use `helm template CHART | kubectl flowcontrol validate -f - --kubernetes RELEASE`".to_owned()
        }
        Remedy::RenameMetric(change) => {
            format!("{change}; `kubectl flowcontrol migrate --rename-metrics` renames it")
        }
        Remedy::Commit => format!("{remedy}, or use --allow-dirty"),
        other => other.to_string(),
    }
}
