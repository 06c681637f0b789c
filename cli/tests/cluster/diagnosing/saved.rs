//! A diagnosis of evidence in files.

use super::{busy, narrow, queue};
use crate::cluster::{Cluster, Ran};
use crate::common::{code, program, schema, stderr, stdout};
use serde_json::Value;

const DUMPS: [&str; 3] = [
    "dump_priority_levels",
    "dump_queues",
    "dump_requests?includeRequestDetails=1",
];

/// The answer of the server to an administrator, in a file.
async fn save(cluster: &Cluster, file: &str, path: &str) -> String {
    let answer = cluster.client().get_raw(path).accept("*/*").await.unwrap();
    cluster.file(file, &String::from_utf8(answer).unwrap())
}

/// The objects, the metrics and the dumps of a cluster, in files.
async fn saved(cluster: &Cluster) -> (String, String, Vec<String>) {
    let mut objects = Vec::new();
    for resource in ["flowschemas", "prioritylevelconfigurations"] {
        let path = format!("/apis/flowcontrol.apiserver.k8s.io/v1/{resource}");
        let list = cluster.client().get_raw(&path).await.unwrap();
        objects.push(String::from_utf8(list).unwrap());
    }
    let objects = cluster.file("objects.yaml", &objects.join("\n---\n"));
    let metrics = save(cluster, "metrics.txt", "/metrics").await;
    let mut dumps = Vec::new();
    for dump in DUMPS {
        let path = format!("/debug/api_priority_and_fairness/{dump}");
        dumps.push(save(cluster, dump.split('?').next().unwrap(), &path).await);
    }
    (objects, metrics, dumps)
}

/// Runs the command without a cluster.
fn offline(args: &[&str]) -> Ran {
    let output = program().arg("diagnose").args(args).output().unwrap();
    Ran {
        code: code(&output),
        out: stdout(&output),
        err: stderr(&output),
    }
}

fn all<'a>(objects: &'a str, metrics: &'a str, dumps: &'a [String]) -> Vec<&'a str> {
    let mut args = vec!["-f", objects, "--metrics", metrics, "--dump"];
    args.extend(dumps.iter().map(String::as_str));
    args
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_evidence_leads_to_the_findings_of_the_cluster() {
    let (cluster, _load) = busy().await;
    let (objects, metrics, dumps) = saved(&cluster).await;

    let live = cluster.run(&["diagnose", "--interval", "0", "-o", "json"]);
    let live = live.expect(1).json();
    let args = all(&objects, &metrics, &dumps);
    let ran = offline(&[args.as_slice(), &["-o", "json"]].concat());
    schema::check("diagnose", ran.out.as_bytes());
    let report = ran.expect(1).json();
    assert_eq!(report["verdict"], "misconfigured");
    assert_eq!(report["servers"][0]["reachedBy"], "files");
    let address = live["servers"][0]["address"].as_str().unwrap();
    let renamed = live.to_string().replace(address, "the server");
    let renamed: Value = serde_json::from_str(&renamed).unwrap();
    // The commands themselves are requests, which change the counters.
    let stable = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        let all = findings.filter(|finding| finding["check"] != "machine");
        all.cloned().collect::<Vec<_>>()
    };
    assert_eq!(stable(&report), stable(&renamed));

    let own = offline(&[args.as_slice(), &["--user", "carol"]].concat());
    assert!(own.expect(1).out.contains("user carol"));
    let text = offline(&args).expect(1).out;
    for gap in [
        "\n  other API servers: the files are of one server\n",
        "\n  the release of the server: its metrics do not have it (kubernetes_build_info); `--kubernetes` names another than 1.",
    ] {
        assert!(text.contains(gap), "{text}");
    }
    let level = offline(&[args.as_slice(), &["--level", "narow"]].concat());
    assert!(level.expect(3).err.contains("narrow"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_files_do_not_show_is_named() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let (objects, metrics, dumps) = saved(&cluster).await;
    let levels = &dumps[0];
    let text = offline(&["-f", &objects, "--dump", levels]).expect(1).out;
    for gap in ["the metrics", "dump_queues", "dump_requests"] {
        let gap = format!("\n  {gap}: no file was given\n");
        assert!(text.contains(&gap), "{gap} in {text}");
    }
    assert!(!text.contains("dump_priority_levels: no"), "{text}");
    assert!(!text.contains("counters"), "{text}");

    let torn = std::fs::read_to_string(levels).unwrap() + "torn,1\n";
    let torn = cluster.file("torn.txt", &torn);
    let text = offline(&["-f", &objects, "--dump", &torn]).expect(1).out;
    let gap = "\n  a part of dump_priority_levels: 1 line of an unexpected format\n";
    assert!(text.contains(gap), "{text}");

    let version = "kubernetes_build_info{git_version=\"v1.33.4\"} 1\n";
    let known = std::fs::read_to_string(&metrics).unwrap() + version;
    let known = cluster.file("known.txt", &known);
    let text = offline(&["-f", &objects, "--metrics", &known])
        .expect(1)
        .out;
    assert!(
        text.ends_with("; counters since the servers started; Kubernetes 1.33\n"),
        "{text}"
    );
    assert!(!text.contains("the release of the server"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interval_is_that_of_one_process() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let (objects, metrics, _) = saved(&cluster).await;
    let metrics = std::fs::read_to_string(&metrics).unwrap();
    let sample = |name: &str, started: u32, dispatched: u32| {
        let more = format!(
            "process_start_time_seconds {started}\n\
             apiserver_flowcontrol_dispatched_requests_total{{flow_schema=\"x\",priority_level=\"x\"}} {dispatched}\n"
        );
        cluster.file(name, &(metrics.clone() + &more))
    };
    let first = sample("first.txt", 100, 1000);
    let second = sample("second.txt", 100, 2000);
    let other = sample("other.txt", 200, 3000);
    let run = |before: &str, after: &str, more: &[&str]| {
        let args = [
            "-f",
            &objects,
            "--metrics",
            after,
            "--metrics-before",
            before,
        ];
        offline(&[args.as_slice(), more].concat())
    };
    let interval = ["--interval", "60"];
    let text = run(&first, &second, &interval).expect(1).out;
    assert!(text.contains("counters of 60.0 seconds"), "{text}");
    for (before, after, error) in [
        (&second, &first, "the higher counters"),
        (&first, &other, "are of different processes"),
        (&first, &first, "both are the same sample"),
    ] {
        let err = run(before, after, &interval).expect(3).err;
        assert!(err.contains(error) && err.contains("first.txt"), "{err}");
    }
    let err = run(&first, &second, &[]).expect(2).err;
    assert!(err.contains("--interval"), "{err}");
    let err = run(&first, &second, &["--interval", "0"]).expect(2).err;
    assert!(
        err.contains("give the seconds between the two files"),
        "{err}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_evidence_are_errors() {
    let cluster = narrow(queue(50), Vec::new()).await;
    let (objects, metrics, dumps) = saved(&cluster).await;
    let queues = &dumps[1];
    let empty = cluster.file("empty.log", "\n");
    let titles = std::fs::read_to_string(queues).unwrap();
    let titles = cluster.file("titles.txt", titles.lines().next().unwrap());
    let joined = std::fs::read_to_string(&metrics).unwrap().repeat(2);
    let joined = cluster.file("joined.txt", &joined);
    for (args, exit, error) in [
        (vec!["-f", &objects], 2, "nothing shows the load"),
        (vec!["--metrics", &metrics], 2, "--filename"),
        (
            vec!["-f", &objects, "--metrics", queues],
            3,
            "lacks the metrics of priority levels",
        ),
        (
            vec!["-f", &objects, "--metrics", &joined],
            3,
            "has 2 samples of the same metrics: of several servers or times",
        ),
        (
            vec!["-f", &objects, "--dump", &metrics],
            3,
            "not a dump: expected the titles of",
        ),
        (
            vec!["-f", &objects, "--dump", queues, queues],
            3,
            "is a second dump_queues",
        ),
        (
            vec!["-f", &objects, "--metrics", &metrics, "--interval", "5"],
            2,
            "needs `--metrics-before`",
        ),
        (
            vec!["-f", &objects, "--dump", &titles],
            3,
            "the files do not show whether requests wait",
        ),
        (
            vec!["-f", &objects, "--audit-log", &empty],
            3,
            "the files do not show whether requests wait",
        ),
        (
            vec!["-f", &objects, "--metrics", "-"],
            3,
            "the standard input lacks the metrics",
        ),
        (
            vec!["-f", &objects, "--dump", queues, "--context", "x"],
            2,
            "files and a cluster exclude each other",
        ),
    ] {
        let err = offline(&args).expect(exit).err;
        assert!(err.contains(error), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_several_servers_are_in_a_folder_for_each() {
    let (cluster, _load) = busy().await;
    let (objects, metrics, dumps) = saved(&cluster).await;
    let text = std::fs::read_to_string(&metrics).unwrap();
    let info = |version: &str| format!("kubernetes_build_info{{git_version=\"{version}\"}} 1\n");
    let busy = cluster.file("a/metrics.txt", &(text.clone() + &info("v1.34.2")));
    // The same server without load.
    let idle = text.lines().filter(|line| {
        !line.contains("current_inqueue_requests{")
            && !line.contains("current_executing_seats{")
            && !line.contains("rejected_requests_total{")
    });
    let idle = idle.map(|line| format!("{line}\n")).collect::<String>()
        + "apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"x\",priority_level=\"x\"} 0\n\
           apiserver_flowcontrol_current_executing_seats{flow_schema=\"x\",priority_level=\"x\"} 0\n";
    let idle = cluster.file("b/metrics.txt", &(idle + &info("v1.35.0")));
    let queues = std::fs::read_to_string(&dumps[1]).unwrap();
    let queues = cluster.file("a/queues.txt", &queues);
    let args = ["-f", &objects, "--metrics", &busy, &idle, "--dump", &queues];
    let text = offline(&args).expect(1).out;
    let folder = |file: &str| file.rsplit_once('/').unwrap().0.to_owned();
    let (a, b) = (folder(&busy), folder(&idle));
    for expected in [
        format!("wait or are rejected on {a} only, while it has free seats on {b}"),
        format!("\n  dump_queues of {b}: no file was given\n"),
        format!("\n  dump_requests of {a}: no file was given\n"),
        "\n  other API servers: the files are of 2 servers\n".to_owned(),
        "\n  the release of the server: the servers have several; the rules of 1.34, the oldest, apply to all\n".to_owned(),
        format!("\n2 API servers: {a}, {b}; counters since the servers started; Kubernetes 1.34\n"),
    ] {
        assert!(text.contains(&expected), "{expected} in {text}");
    }
    assert!(!text.contains(&format!("dump_queues of {a}")), "{text}");
    // `a` and `./a` are one folder.
    let output = program()
        .current_dir(std::path::Path::new(&a).parent().unwrap())
        .args(["diagnose", "-f", &objects, "--metrics"])
        .args(["a/metrics.txt", "b/metrics.txt", "--dump", "./a/queues.txt"])
        .output()
        .unwrap();
    let text = stdout(&output);
    assert!(text.contains("\n2 API servers: a, b; "), "{text}");

    let again = cluster.file("a/again.txt", &std::fs::read_to_string(&idle).unwrap());
    let err = offline(&["-f", &objects, "--metrics", &busy, &again])
        .expect(3)
        .err;
    assert!(err.contains("again.txt is a second file with metrics\nhint: give the files of one server at one time, or"), "{err}");
    let both = [
        "-f",
        &objects,
        "--metrics",
        &busy,
        &idle,
        "--interval",
        "60",
    ];
    let other = cluster.file("c/before.txt", &std::fs::read_to_string(&idle).unwrap());
    let err = offline(&[both.as_slice(), &["--metrics-before", &other]].concat())
        .expect(3)
        .err;
    assert!(
        err.contains("before.txt: the later metrics of its server are missing"),
        "{err}"
    );
}
