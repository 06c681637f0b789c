//! Documents for the generator: the same modules or the same error each time.

use k8s_flowcontrol_codegen::Generator;

pub(crate) fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let generate = || {
        let generator = Generator::new().missing_as_json().document("d", text)?;
        Ok::<_, k8s_flowcontrol_codegen::Error>((generator.operations()?, generator.generate()?))
    };
    match (generate(), generate()) {
        (Ok(first), Ok(second)) => assert_eq!(first, second),
        (Err(first), Err(second)) => {
            let error = first.to_string();
            assert_eq!(error, second.to_string());
            assert!(!error.is_empty());
        }
        (first, second) => panic!("{:?} and {:?}", first.err(), second.err()),
    }
}
