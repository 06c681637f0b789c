//! Rows of requests in Apache Parquet, read by DuckDB and Spark.

use super::parquet::{log, traffic};
use crate::common::{Folder, code, run, stderr, stdout};
use serde_json::Value;
use std::process::Command;

#[test]
fn duckdb_gets_the_numbers_of_the_report() {
    let folder = Folder::new();
    let (file, report) = traffic(&folder, &log(), &[]);
    let script = "import duckdb, json, sys\n\
        rows = duckdb.sql(f\"\"\"SELECT priority_level, count(*), sum(seats)::BIGINT, count(*) FILTER (rejected),\n\
        min(received)::VARCHAR FROM '{sys.argv[1]}' WHERE priority_level IS NOT NULL GROUP BY ALL ORDER BY 1\"\"\").fetchall()\n\
        groups = duckdb.sql(f\"SELECT count(*) FROM '{sys.argv[1]}' WHERE list_contains(groups, 'dev')\").fetchall()\n\
        print(json.dumps({'levels': rows, 'dev': groups[0][0]}))\n";
    let output = Command::new("python3").args(["-c", script, &file]).output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        other => {
            let text = other.map_or_else(|error| error.to_string(), |output| stderr(&output));
            assert!(
                text.contains("No module named 'duckdb'") || text.contains("No such file"),
                "{text}"
            );
            eprintln!("skipped: DuckDB for Python is not installed");
            return;
        }
    };
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(found["dev"], 5);
    let levels = report["priorityLevels"].as_array().unwrap();
    assert_eq!(found["levels"].as_array().unwrap().len(), levels.len());
    for level in levels {
        let rows = found["levels"].as_array().unwrap();
        let row = rows.iter().find(|row| row[0] == level["name"]).unwrap();
        let expected = (&level["requests"], &level["seats"], &level["rejected"]);
        assert_eq!((&row[1], &row[2], &row[3]), expected);
        let time = row[4].as_str();
        assert!(
            time.is_none_or(|time| time.starts_with("2026-01-01 00:00:00")),
            "{row}"
        );
    }
}

/// The queries of `examples/fleet` over the rows of several logs, beside the report of one run over all of them.
#[test]
fn the_queries_for_fleets_get_the_numbers_of_the_report() {
    let queries = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fleet");
    if !queries.exists() {
        // The package of the program on its own.
        return;
    }
    let folder = Folder::new();
    let mut logs = Vec::new();
    std::fs::create_dir(folder.path("rows")).unwrap();
    for part in 0..3 {
        let text: String = log()
            .lines()
            .map(|line| {
                let mut event: Value = serde_json::from_str(line).unwrap();
                if let Some(id) = event["auditID"].as_str().map(|id| format!("{part}-{id}")) {
                    event["auditID"] = id.into();
                }
                // Requests without an end are not in the view.
                event["stage"] = "ResponseComplete".into();
                format!("{event}\n")
            })
            .collect();
        let file = folder.file(&format!("audit-{part}.log"), &text);
        let rows = folder.path(&format!("rows/{part}.parquet"));
        let output = run(&[
            "traffic",
            "--audit-log",
            &file,
            "--kubernetes",
            "1.33",
            "--parquet",
            &rows,
        ]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        logs.push(file);
    }
    let mut arguments = vec![
        "traffic",
        "--kubernetes",
        "1.33",
        "-o",
        "json",
        "--audit-log",
    ];
    arguments.extend(logs.iter().map(String::as_str));
    let report: Value = serde_json::from_str(&stdout(&run(&arguments))).unwrap();
    let rows = folder.path("rows");
    let duckdb = "import duckdb, json, sys, pathlib\n\
        rows, queries = sys.argv[1], pathlib.Path(sys.argv[2])\n\
        duckdb.sql(f\"CREATE VIEW requests AS SELECT * FROM '{rows}/*.parquet' WHERE stage IN ('ResponseComplete', 'Panic')\")\n\
        print(json.dumps({file.stem: duckdb.sql(file.read_text()).fetchall() for file in sorted(queries.glob('*.sql'))}))\n";
    let spark = "import json, sys, pathlib\n\
        from pyspark.sql import SparkSession\n\
        rows, queries = sys.argv[1], pathlib.Path(sys.argv[2])\n\
        spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').config('spark.sql.shuffle.partitions', '1').getOrCreate()\n\
        spark.read.parquet(rows).where(\"stage IN ('ResponseComplete', 'Panic')\").createOrReplaceTempView('requests')\n\
        run = lambda file: [list(row) for row in spark.sql(file.read_text().rstrip().rstrip(';')).collect()]\n\
        print(json.dumps({file.stem: run(file) for file in sorted(queries.glob('*.sql'))}))\n";
    for (engine, module, script) in [("DuckDB", "duckdb", duckdb), ("Spark", "pyspark", spark)] {
        let output = Command::new("python3")
            .args(["-c", script, &rows, queries.to_str().unwrap()])
            .output();
        let output = match output {
            Ok(output) if output.status.success() => output,
            other => {
                let text = other.map_or_else(|error| error.to_string(), |output| stderr(&output));
                let missing = [
                    &format!("No module named '{module}'"),
                    "No such file",
                    "JAVA_HOME",
                    "Java",
                ];
                assert!(
                    missing.iter().any(|missing| text.contains(*missing)),
                    "{text}"
                );
                eprintln!("skipped: {engine} for Python, or Java, is not installed");
                continue;
            }
        };
        let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
        for (query, list, name) in [
            ("levels", "priorityLevels", "name"),
            ("flow_schemas", "flowSchemas", "flowSchema"),
        ] {
            let expected = report[list].as_array().unwrap();
            let rows = found[query].as_array().unwrap();
            assert_eq!(rows.len(), expected.len(), "{engine} {query}");
            let first = usize::from(query == "flow_schemas") + 1;
            for group in expected {
                let row = rows.iter().find(|row| row[0] == group[name]).unwrap();
                for (index, field) in ["requests", "seats", "rejected"].iter().enumerate() {
                    assert_eq!(row[first + index], group[field], "{engine} {query} {row}");
                }
            }
        }
        let requests = |query: &str, column: usize| -> u64 {
            let rows = found[query].as_array().unwrap();
            rows.iter().map(|row| row[column].as_u64().unwrap()).sum()
        };
        assert_eq!(
            requests("callers", 2),
            report["requests"].as_u64().unwrap(),
            "{engine}"
        );
        assert_eq!(requests("deprecated", 6), 3, "{engine}");
        assert_eq!(found["waits"][0][0], "global-default", "{engine}");
    }
}
