//! The `continue` tokens that clients make themselves.

use crate::api::support::{Api, SCHEMAS, names, schema};
use base64::Engine as _;

#[tokio::test]
async fn tokens_have_a_clean_start_and_fields_of_their_types() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    for name in ["a", "b"] {
        api.send("POST", SCHEMAS, Some(schema(name))).await;
    }
    let list = async |token: &str| {
        let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(token);
        api.get(&format!("{SCHEMAS}?continue={token}")).await
    };
    let token =
        |start: &str| format!("{{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"{start}\"}}");
    for start in ["b", "/b"] {
        let answer = list(&token(start)).await;
        assert_eq!(answer.code, 200, "{start}: {}", answer.body);
        assert_eq!(names(&answer.body), ["b"], "{start}");
    }
    for (text, why) in [
        (token("b/"), "b/"),
        (token("./b"), "./b"),
        (token("//b"), "//b"),
        (token("b/../a"), "b/../a"),
        (
            "[]".into(),
            "json: cannot unmarshal array into Go value of type storage.continueToken",
        ),
        (
            "{\"rv\":\"1\"}".into(),
            "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
        ),
        (
            "{\"v\":\"x\"}".into(),
            "server does not recognize this encoded version x",
        ),
        (
            "{\"v\":}".into(),
            "invalid character '}' looking for beginning of value",
        ),
    ] {
        let answer = list(&text).await;
        assert_eq!(answer.code, 400, "{text}");
        let message = format!("invalid continue token: continue key is not valid: {why}");
        assert_eq!(answer.body["message"], message, "{text}");
    }
}
