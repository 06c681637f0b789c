//! Migrates the manifests of a folder, and saves the old files.
//!
//! `cargo run --example migrate_folder -- FOLDER` shows what would change; with `--write` after it, the files are written.

use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol_manifests::files::{
    Backups, Selection, Status, collect, conflict, examine_all, keep_dirty, write_all,
};
use k8s_flowcontrol_manifests::{Settings, Severity};
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(
        arguments
            .next()
            .unwrap_or_else(|| "examples/manifests".into()),
    );
    let writes = arguments.any(|argument| argument == "--write");
    let backups = Backups {
        folder: "old".into(),
        working_directory: std::env::current_dir()?.canonicalize()?,
    };
    let selection = Selection::new(&["*.golden.yaml".into()], false)?;
    let found = collect(&[folder], Some(&backups.folder), &selection)?;
    let mut files = examine_all(found.files, Settings::to(ApiVersion::V1), false, |_| {});
    // Files with uncommitted changes are not written.
    keep_dirty(&mut files);
    if let Some(file) = conflict(&files, &backups) {
        return Err(format!("the backup of {} would be a file to change", file.display()).into());
    }
    if writes {
        // Another thread may set the flag: the run then stops between two files.
        files = write_all(files, Some(&backups), &AtomicBool::new(false), |_| {});
    }
    for file in files.iter().filter(|file| file.status != Status::Current) {
        println!("{}: {}", file.source.name, file.status.as_str());
        for object in &file.outcome.objects {
            println!("{object}");
        }
        let findings = file.outcome.findings.iter();
        for finding in findings.filter(|finding| finding.severity > Severity::Note) {
            let place = file.source.position(finding.offset);
            println!("{}:{place}: {finding}", file.source.name);
            if let Some(help) = &finding.help {
                println!("  {help}");
            }
        }
    }
    Ok(())
}
