//! Objects that an earlier server has stored: their ages, and real servers' objects in Protocol Buffers.

use crate::api::data_dir::Folder;
use crate::api::representations::TABLE;
use crate::api::support::{GROUP, LEVELS, SCHEMAS, answer, level, schema};
use base64::Engine as _;
use redb::{Database, TableDefinition};
use serde_json::Value;

/// A folder that an earlier server of 1.29 has written: the format of the file is a promise.
fn written(objects: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(&folder.0).unwrap();
    let database = Database::builder()
        .create_with_file_format_v3(true)
        .create(folder.0.join("objects.redb"))
        .unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let table: TableDefinition<'_, (&str, &str), (&str, &[u8])> =
            TableDefinition::new("objects");
        let mut table = transaction.open_table(table).unwrap();
        for (plural, object) in objects {
            let resource = format!("{plural}.{GROUP}");
            let name = object["metadata"]["name"].as_str().unwrap();
            let text = object.to_string();
            table
                .insert((resource.as_str(), name), ("1.29", text.as_bytes()))
                .unwrap();
        }
        let numbers: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
        let mut numbers = transaction.open_table(numbers).unwrap();
        numbers.insert("format", 1).unwrap();
        numbers.insert("revision", 5000).unwrap();
    }
    transaction.commit().unwrap();
    folder
}

#[tokio::test]
async fn the_older_an_object_the_coarser_its_age() {
    // The time passes meanwhile, so no age is at the end of its last unit.
    let cases = [
        (-60, "<invalid>"),
        (100, "100s"),
        (9 * 60, "9m"),
        (3600 + 5, "60m"),
        (3 * 3600 + 65, "3h1m"),
        (47 * 3600 + 5, "47h"),
        (49 * 3600 + 5, "2d1h"),
        (400 * 86_400 + 5, "400d"),
        (731 * 86_400 + 5, "2y1d"),
        (9 * 365 * 86_400 + 5, "9y"),
    ];
    let mut objects = Vec::new();
    for (number, (seconds, _)) in cases.iter().enumerate() {
        let mut object = level(&format!("age-{number}"), 5);
        let created = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(*seconds);
        object["metadata"]["creationTimestamp"] = format!("{created:.0}").into();
        objects.push(("prioritylevelconfigurations", object));
    }
    objects.push(("prioritylevelconfigurations", level("age-unknown", 5)));
    let folder = written(&objects);
    let api = folder.start("1.29").await;
    let path = format!("/apis/{GROUP}/{LEVELS}");
    let request = api.request("GET", &path).header("accept", TABLE);
    let table = answer(request).await.body;
    let columns = table["columnDefinitions"].as_array().unwrap();
    let age = columns
        .iter()
        .position(|column| column["name"] == "Age")
        .unwrap();
    let rows = table["rows"].as_array().unwrap();
    let age = |name: &str| {
        let row = rows.iter().find(|row| row["cells"][0] == name).unwrap();
        row["cells"][age].as_str().unwrap().to_owned()
    };
    for (number, (seconds, expected)) in cases.iter().enumerate() {
        let age = age(&format!("age-{number}"));
        // The smaller ones show seconds.
        let is_as_expected = match *seconds {
            100 => age
                .strip_suffix('s')
                .is_some_and(|age| (100..120).contains(&age.parse().unwrap())),
            540 => age.starts_with(expected),
            _ => age == *expected,
        };
        assert!(is_as_expected, "{seconds}: {age}");
    }
    assert_eq!(age("age-unknown"), "<unknown>");
}

#[tokio::test]
async fn protocol_buffers_are_those_of_a_real_server() {
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
    let recorded = include_str!("../fixtures/protobuf.jsonl");
    assert_eq!(recorded.lines().count(), 4);
    for line in recorded.lines() {
        let exchange: Value = serde_json::from_str(line).unwrap();
        let object = &exchange["object"];
        let expected = base64::engine::general_purpose::STANDARD;
        let expected = expected
            .decode(exchange["protobuf"].as_str().unwrap())
            .unwrap();
        let plural = match object["kind"].as_str().unwrap() {
            "FlowSchema" => "flowschemas",
            _ => "prioritylevelconfigurations",
        };
        let (_, version) = object["apiVersion"]
            .as_str()
            .unwrap()
            .split_once('/')
            .unwrap();
        // The folder has the objects in v1.
        let mut stored = object.clone();
        stored["apiVersion"] = format!("{GROUP}/v1").into();
        // With the level that its status names.
        let named = level("workload-low", 5);
        let folder = written(&[(plural, stored), ("prioritylevelconfigurations", named)]);
        let api = folder.start("1.29").await;
        let name = object["metadata"]["name"].as_str().unwrap();
        let path = format!("/apis/{GROUP}/{version}/{plural}");
        let get = |path: String| {
            let request = api.request("GET", &path).header("accept", PROTOBUF);
            request.send()
        };
        let written = get(format!("{path}/{name}")).await.bytes().await;
        assert_eq!(
            written.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
        // An event is framed by its length.
        let mut watch = get(format!(
            "{path}?watch=1&fieldSelector=metadata.name%3D{name}"
        ))
        .await;
        let event = watch.chunk().await.unwrap();
        let (length, event) = event.split_first_chunk().unwrap();
        assert_eq!(u32::from_be_bytes(*length) as usize, event.len());
        assert!(event.starts_with(b"\x0a\x05ADDED\x12") && event.ends_with(&expected));
    }
}

#[tokio::test]
async fn negative_numbers_take_ten_bytes() {
    let mut object = schema("old");
    object["metadata"]["creationTimestamp"] = "1969-12-31T23:59:59Z".into();
    let folder = written(&[("flowschemas", object)]);
    let api = folder.start("1.29").await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/old");
    let request = api.request("GET", &path);
    let request = request.header("accept", "application/vnd.kubernetes.protobuf");
    let bytes = request.send().await.bytes().await;
    let minus_one = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    assert!(bytes.windows(minus_one.len()).any(|part| part == minus_one));
}
