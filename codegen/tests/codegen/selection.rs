//! Some kinds, and some of their fields; and both in a build script.

#![allow(clippy::panic, clippy::unwrap_used)]

use k8s_flowcontrol_codegen::{Build, Error, Generated, Generator};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A group of pods and nodes, with a schema for both.
fn document() -> String {
    let kind = |kind: &str, fields: &str| {
        format!(
            r##""io.example.farm.v1.{kind}": {{ "type": "object", "required": ["spec"],
                "x-kubernetes-group-version-kind": [{{ "group": "farm.example.com", "version": "v1", "kind": "{kind}" }}],
                "properties": {{ "apiVersion": {{ "type": "string" }}, "kind": {{ "type": "string" }},
                    "metadata": {{ "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }}, {fields} }} }}"##
        )
    };
    let path = |kind: &str, plural: &str| {
        format!(
            r#""/apis/farm.example.com/v1/{plural}": {{ "get": {{ "responses": {{}},
                "x-kubernetes-group-version-kind": {{ "group": "farm.example.com", "version": "v1", "kind": "{kind}" }} }} }}"#
        )
    };
    format!(
        r##"{{ "openapi": "3.0.0", "paths": {{ {}, {} }}, "components": {{ "schemas": {{
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {{ "type": "object" }}, {}, {},
            "io.example.farm.v1.StallSpec": {{ "type": "object", "required": ["cows"], "properties": {{
                "cows": {{ "type": "array", "items": {{ "$ref": "#/components/schemas/io.example.farm.v1.Cow" }} }},
                "roof": {{ "type": "object", "properties": {{ "tiles": {{ "type": "integer" }}, "colour": {{ "type": "string" }} }} }} }} }},
            "io.example.farm.v1.Cow": {{ "type": "object", "properties": {{
                "name": {{ "type": "string" }}, "age": {{ "type": "integer" }},
                "calves": {{ "type": "array", "items": {{ "$ref": "#/components/schemas/io.example.farm.v1.Cow" }} }} }} }},
            "io.example.farm.v1.Milk": {{ "type": "object", "properties": {{ "litres": {{ "type": "number" }} }} }}
        }} }} }}"##,
        path("Stall", "stalls"),
        path("Dairy", "dairies"),
        kind(
            "Stall",
            r##""spec": { "$ref": "#/components/schemas/io.example.farm.v1.StallSpec" },
                "status": { "type": "object", "properties": { "phase": { "type": "string" }, "other": { "type": "string" } } }"##
        ),
        kind(
            "Dairy",
            r##""spec": { "$ref": "#/components/schemas/io.example.farm.v1.Milk" }"##
        ),
    )
}

fn generate(change: impl FnOnce(Generator) -> Generator) -> Result<Generated, Error> {
    let generator = Generator::new().document("farm.json", &document())?;
    change(generator).generate()
}

fn text(generated: Result<Generated, Error>) -> String {
    let generated = generated.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(generated.files[0].0, "farm_v1.rs");
    generated.files[0].1.clone()
}

#[test]
fn only_the_kinds_asked_for_are_generated() {
    let all = text(generate(|generator| generator));
    assert!(all.contains("pub struct Stall {") && all.contains("pub struct Milk {"));
    let dairy = text(generate(|generator| generator.kinds(["Dairy"])));
    assert_eq!(dairy.matches("pub struct ").count(), 2, "{dairy}");
    assert!(dairy.contains("pub struct Milk {") && dairy.contains("resource_schema::<Dairy>()"));
    let error = generate(|generator| generator.kinds(["Diary"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no document serves the kind `Diary`\n  help: the documents serve Dairy, Stall"
    );
}

/// The document, with an inline object as the metadata of its kinds.
fn without_metadata() -> Generator {
    let reference =
        r##"{ "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }"##;
    let document = document().replace(reference, r#"{ "type": "object" }"#);
    Generator::new().document("farm.json", &document).unwrap()
}

#[test]
fn a_kind_without_object_metadata_is_named_with_its_schema() {
    let reason = |kind: &str| {
        format!(
            "{kind} has paths, but the field `metadata` of the schema {kind} does not refer to \
             io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        )
    };
    let error = without_metadata().kinds(["Dairy"]).generate().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "no document serves the kind `Dairy`\n  help: {}",
            reason("Dairy")
        )
    );
    let generated = without_metadata().generate().unwrap();
    assert_eq!(
        generated.notes,
        [format!(
            "the documents serve no kind, so that no type implements `Resource`: {}",
            reason("Stall")
        )]
    );
}

#[test]
fn rules_that_are_not_compiled_are_noted_only_where_there_are_rules() {
    let document = document();
    let of = |document: &str| {
        let generator = Generator::new().document("farm.json", document).unwrap();
        generator.validate().generate().unwrap().notes
    };
    assert_eq!(of(&document), [] as [&str; 0]);
    let ruled = document.replace(
        r#""litres": {"#,
        r#""litres": { "x-kubernetes-validations": [{ "rule": "self > 0" }],"#,
    );
    let is_noted = of(&ruled)
        .iter()
        .any(|note| note.starts_with("the CEL rules were not compiled"));
    assert_eq!(is_noted, !cfg!(feature = "validate"));
}

#[test]
fn only_the_fields_asked_for_are_generated() {
    let stall = |paths: &[&str]| {
        let paths: Vec<&str> = paths.to_vec();
        generate(|generator| generator.kinds(["Stall"]).fields("Stall", paths))
    };
    let phase = text(stall(&["status.phase"]));
    assert_eq!(phase.matches("pub struct ").count(), 2, "{phase}");
    assert!(phase.contains("pub metadata:") && phase.contains("pub phase:"));
    assert!(
        !phase.contains("pub spec:") && !phase.contains("pub other:"),
        "{phase}"
    );
    assert!(phase.contains("spec: (),"), "{phase}");

    // Lists do not take a step, and a type that refers to itself has the fields of all paths.
    let names = text(stall(&[
        "spec.cows.name",
        "spec.cows.calves.age",
        "spec.roof.colour",
    ]));
    assert!(
        names.contains("pub name:") && names.contains("pub age:") && names.contains("pub calves:")
    );
    assert!(
        names.contains("pub colour:") && !names.contains("pub tiles:"),
        "{names}"
    );
    // An object at the end of a path is whole, also if another path needs a part of it.
    let whole = text(stall(&["spec", "spec.roof.colour"]));
    assert!(
        whole.contains("pub tiles:") && whole.contains("pub calves:"),
        "{whole}"
    );

    let error = stall(&["spec.cows.weight"]).unwrap_err().to_string();
    assert!(
        error.contains(
            "`Stall.spec.cows.weight` leads to no field: there is no `weight` on its way"
        ) && error.ends_with("the fields there are name, age, calves"),
        "{error}"
    );
    let error = stall(&["status.phase.more"]).unwrap_err().to_string();
    assert!(
        error.ends_with("the value there does not have fields"),
        "{error}"
    );
}

#[test]
fn a_secret_that_is_not_asked_for_is_hidden_all_the_same() {
    let document = document().replace(
        r#""litres": { "type": "number" }"#,
        r#""litres": { "type": "number" }, "pin": { "type": "string", "format": "password" }"#,
    );
    let generator = Generator::new().document("farm.json", &document).unwrap();
    let text = text(generator.fields("Dairy", ["spec.litres"]).generate());
    assert!(
        text.contains("hidden! {\n    Milk {\n        litres,\n    }"),
        "{text}"
    );
    let generator = Generator::new().document("farm.json", &document).unwrap();
    let text = self::text(generator.fields("Dairy", ["metadata"]).generate());
    assert!(
        text.contains("hidden! {\n    Dairy {\n        metadata: metadata,\n    }"),
        "{text}"
    );
}

/// Its own folder for each test, below Cargo's.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The build script of the test below, in its own process because a mistake ends that.
#[test]
fn build_script() {
    if let Ok(document) = std::env::var("BUILD_SCRIPT_DOCUMENT") {
        let build = Build::new().document(&document).kinds(["Dairy"]);
        match std::env::var("BUILD_SCRIPT_CRD") {
            Ok(crd) => build.crd(crd).write_to_out_dir(),
            Err(_) => build.write_to_out_dir(),
        }
    }
}

#[test]
fn a_build_script_tells_cargo_its_files_and_its_mistakes() {
    let folder = folder("build");
    let file = folder.join("farm.json");
    std::fs::write(&file, document()).unwrap();
    let run = |document: &Path, crd: Option<&Path>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "selection::build_script", "--nocapture"])
            .env("OUT_DIR", &folder)
            .env("BUILD_SCRIPT_DOCUMENT", document)
            .env_remove("BUILD_SCRIPT_CRD");
        if let Some(crd) = crd {
            command.env("BUILD_SCRIPT_CRD", crd);
        }
        let output = command.output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let modules = folder.join("k8s-flowcontrol");
    std::fs::create_dir_all(&modules).unwrap();
    std::fs::write(modules.join("earlier_v1.rs"), "").unwrap();

    let (success, text) = run(&file, None);
    assert!(success, "{text}");
    assert!(
        text.contains(&format!("cargo::rerun-if-changed={}\n", file.display())),
        "{text}"
    );
    let mut files: Vec<String> = std::fs::read_dir(&modules)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["farm_v1.rs", "mod.rs"]);

    let (success, text) = run(Path::new("nowhere.json"), None);
    assert!(!success);
    assert!(
        text.contains("cargo::rerun-if-changed=nowhere.json\n"),
        "{text}"
    );
    assert!(
        text.contains("cargo::error=nowhere.json: there is no such file"),
        "{text}"
    );
    assert!(
        text.contains("cargo::error=  help: check the path\n"),
        "{text}"
    );

    // A file to which a document refers; the name of the script is Cargo's.
    let referring = folder.join("referring.json");
    std::fs::write(folder.join("near.json"), r#"{"type": "string"}"#).unwrap();
    let reference = document().replacen(
        r#""schemas": {"#,
        r#""schemas": { "Near": { "$ref": "near.json" },"#,
        1,
    );
    std::fs::write(&referring, reference).unwrap();
    let (success, text) = run(&referring, None);
    let near = folder.join("near.json");
    assert!(
        success && text.contains(&format!("cargo::rerun-if-changed={}\n", near.display())),
        "{text}"
    );
    assert!(!text.contains("build.rs"), "{text}");

    // A name in a document is not an instruction to Cargo.
    let odd = folder.join("odd.json");
    let name = format!(r"a\ncargo::rustc-cfg={}", "a".repeat(80));
    let long = format!(
        r#""{name}": {{ "type": "object", "properties": {{ "a": {{ "type": "string" }} }} }}, "litres""#
    );
    std::fs::write(&odd, document().replacen(r#""litres""#, &long, 1)).unwrap();
    let (success, text) = run(&odd, None);
    assert!(
        success && text.contains("\ncargo::warning=cargo::rustc-cfg=a"),
        "{text}"
    );
    assert!(!text.contains("\ncargo::rustc-cfg"), "{text}");

    let (success, text) = run(&file, Some(&file));
    assert!(
        !success && text.contains("cargo::error=") && text.contains("the document is given twice"),
        "{text}"
    );
}

#[test]
fn a_build_script_can_handle_the_error_itself() {
    let folder = folder("try-build");
    let missing = folder.join("missing.json");
    let error = Build::new()
        .document(&missing)
        .try_write_to(&folder)
        .unwrap_err();
    assert!(error.to_string().contains("missing.json"), "{error}");
    let file = folder.join("farm.json");
    std::fs::write(&file, document()).unwrap();
    let out = folder.join("generated");
    Build::new()
        .document(&file)
        .kinds(["Dairy"])
        .try_write_to(&out)
        .unwrap();
    assert!(std::fs::read_dir(&out).unwrap().count() > 0);
    let error = Build::new().try_write_to(&out).unwrap_err();
    assert!(
        error.to_string().starts_with("there are no documents"),
        "{error}"
    );
}

#[test]
fn a_build_script_sets_every_option_of_the_generator() {
    let folder = folder("build-with");
    let file = folder.join("pets.json");
    let choice = r#"{"oneOf": [{"type": "string"}, {"type": "boolean"}]}"#;
    let text = format!(r#"{{"type": "object", "properties": {{"a": {choice}}}}}"#);
    std::fs::write(&file, text).unwrap();
    let out = folder.join("generated");
    Build::new()
        .document(&file)
        .with(|generator| generator.plain().rename("Pets", "Zoo"))
        .try_write_to(&out)
        .unwrap();
    let text = std::fs::read_to_string(out.join("pets.rs")).unwrap();
    assert!(text.contains("pub struct Zoo {"), "{text}");
}
