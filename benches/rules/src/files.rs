//! Migration of many files by the command-line tool.

use crate::Outcome;
use bench_data::{Meter, peak_memory, report};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Files in ten folders, each of a schema and a level in `v1beta3`, changed by `PROGRAM migrate --write`.
pub(crate) fn migrate(program: &str, count: usize) -> Outcome {
    in_folder(|root| {
        make(root, count)?;
        run(program, root, count)
    })
}

/// A checkout in which every tenth file is YAML, and every fiftieth has two objects, examined by `PROGRAM migrate --check`.
pub(crate) fn checkout(program: &str, count: usize) -> Outcome {
    in_folder(|root| {
        make_checkout(root, count)?;
        check(program, root, count)
    })
}

/// Runs work in a temporary folder, which is removed afterwards.
fn in_folder(work: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let root = std::env::temp_dir().join(format!("bench-files-{}", std::process::id()));
    let outcome = work(&root);
    std::fs::remove_dir_all(&root)?;
    outcome
}

fn make_checkout(root: &Path, count: usize) -> Outcome {
    const ENDINGS: [&str; 9] = ["go", "py", "md", "txt", "ts", "java", "js", "html", "sh"];
    let filler = "the controller reconciles the status of each deployment in its namespace\n";
    for index in 0..count {
        let folder = root.join((index / 1000).to_string());
        let folder = folder.join((index / 50 % 20).to_string());
        if index % 50 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let lines = 10 + index % 70;
        let (ending, text) = match index {
            _ if index % 50 == 0 => ("yaml", text(index)),
            _ if index % 10 == 0 => (
                "yaml",
                format!(
                    "apiVersion: v1\nkind: ConfigMap\n# {}",
                    filler.repeat(20).replace('\n', "\n# ")
                ),
            ),
            _ => (ENDINGS[index % ENDINGS.len()], filler.repeat(lines)),
        };
        std::fs::write(folder.join(format!("{index}.{ending}")), text)?;
    }
    Ok(())
}

fn check(program: &str, root: &Path, count: usize) -> Outcome {
    let meter = Meter::start();
    let mut child = Command::new(program)
        .args(["migrate", "--check"])
        .arg(root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut peak = 0.0_f64;
    let status = loop {
        peak = peak.max(peak_memory(child.id()));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (wall, _) = meter.stop();
    if status.code() != Some(1) {
        return Err(format!("the check ended with {status}, and not with findings").into());
    }
    report(&[
        ("seconds", wall.as_secs_f64()),
        ("files/s", count as f64 / wall.as_secs_f64()),
        ("peak MB", peak),
    ]);
    Ok(())
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
