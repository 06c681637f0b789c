//! Migration of many files by the command-line tool.

use crate::Outcome;
use bench_data::{Meter, report};
use std::path::Path;
use std::process::{Command, Stdio};

/// Files in ten folders, each of a schema and a level in `v1beta3`, changed by `PROGRAM migrate --write`.
pub(crate) fn migrate(program: &str, count: usize) -> Outcome {
    let root = std::env::temp_dir().join(format!("bench-migrate-{}", std::process::id()));
    let outcome = make(&root, count).and_then(|()| run(program, &root, count));
    std::fs::remove_dir_all(&root)?;
    outcome
}

fn run(program: &str, root: &Path, count: usize) -> Outcome {
    let meter = Meter::start();
    let output = Command::new(program)
        .args(["migrate", "--write"])
        .arg(root)
        .stdout(Stdio::null())
        .output()?;
    let (wall, _) = meter.stop();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let last = root.join("0").join("0.yaml");
    if std::fs::read_to_string(last)?.contains("v1beta3") {
        return Err("the files are as they were".into());
    }
    report(&[("files/s", count as f64 / wall.as_secs_f64())]);
    Ok(())
}

fn make(root: &Path, count: usize) -> Outcome {
    for index in 0..count {
        let folder = root.join((index % 10).to_string());
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{index}.yaml")), text(index))?;
    }
    Ok(())
}

fn text(index: usize) -> String {
    format!(
        "\
# Of team {index}.
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
metadata:
  name: team-{index}
spec:
  matchingPrecedence: {precedence} # after the system's
  priorityLevelConfiguration:
    name: team-{index}
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount: {{name: controller, namespace: team-{index}}}
      resourceRules:
        - verbs: ['*']
          apiGroups: [apps]
          resources: [deployments]
          namespaces: ['*']
---
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata:
  name: team-{index}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse:
      type: Reject
",
        precedence = 1000 + index % 8000
    )
}
