//! Rendering Helm charts before and after their migration, and checking the results.

mod chart;
mod check;
mod helm;

use chart::{Chart, charts};
pub(crate) use helm::Helm;
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Finding, Rule, Settings, Severity};

/// Renders every chart of the files, and adds the findings about the results to the files.
///
/// A template whose version is computed becomes a note if all its rendered objects are in the wanted version. A chart whose
/// migrated templates do not render the converted objects is not changed.
pub(crate) fn render_charts(files: &mut [Examined], helm: &Helm, settings: Settings) {
    for chart in charts(files) {
        match rendered(&chart, files, helm) {
            Ok((old, new)) => check::check(&chart, files, (&old, &new), helm, settings),
            Err(message) => not_rendered(&chart, files, &message),
        }
    }
    for file in files {
        file.judge();
    }
}

/// The results of the chart before and after the planned changes.
fn rendered(chart: &Chart, files: &[Examined], helm: &Helm) -> Result<(String, String), String> {
    let old = helm.template(&chart.root)?;
    let new = match chart.migrated(files).map_err(|error| error.to_string())? {
        Some(copy) => helm.template(copy.path())?,
        None => old.clone(),
    };
    Ok((old, new))
}

/// A chart that cannot be rendered was not checked.
fn not_rendered(chart: &Chart, files: &mut [Examined], message: &str) {
    let message = format!("Helm cannot render this chart: {message}");
    let help = match message.contains("helm dependency") {
        true => "run `helm dependency build` for the chart",
        false => "correct the chart, or name its values with --values",
    };
    let finding = Finding::new(Severity::Error, Rule::NotChecked, 0, message).help(help);
    files[chart.anchor].outcome.findings.push(finding);
}
