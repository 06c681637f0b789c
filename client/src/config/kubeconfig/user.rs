//! A user of a kubeconfig: the credentials.

use super::document::{Fields, text_of};
use crate::config::auth::Auth;
use crate::config::auth::exec::EXTENSION;
use crate::config::{
    Config, ConfigError, ExecPlugin, ExecVersion, Impersonation, InteractiveMode, Secret, TokenFile,
};
use serde_json::Value;
use std::sync::Arc;

/// Adds the credentials of a user to a cluster's configuration.
pub(super) fn apply(
    mut config: Config,
    user: &Fields<'_>,
    cluster: &Fields<'_>,
) -> Result<Config, ConfigError> {
    refuse_auth_provider(user)?;
    // Like kubectl, ignores a key without a certificate.
    if let Some(chain) = user.source("client-certificate-data", "client-certificate")? {
        let key = user.source("client-key-data", "client-key")?;
        let key = key.ok_or_else(|| user.error("client-key", "is missing"))?;
        config.tls.client_certificate = Some((chain, key));
    }
    config.auth = match (authorization(user)?, user.fields("exec")?) {
        // Like kubectl, runs a plugin only for a user without other credentials.
        (Auth::None, Some(exec)) if config.tls.client_certificate.is_none() => {
            Auth::Exec(Arc::new(plugin(&exec, cluster)?))
        }
        (auth, _) => auth,
    };
    match impersonation(user)? {
        None => Ok(config),
        Some(impersonation) => {
            let impersonating = config.with_impersonation(impersonation);
            impersonating.map_err(|error| error.within(&user.at("as")))
        }
    }
}

/// Whether the user has a client certificate.
pub(super) fn has_certificate(user: &Fields<'_>) -> Result<bool, ConfigError> {
    let data = user.text("client-certificate-data")?;
    Ok(data.or(user.text("client-certificate")?).is_some())
}

/// Authentication providers are code inside of kubectl. Plugins replace them.
fn refuse_auth_provider(user: &Fields<'_>) -> Result<(), ConfigError> {
    let Some(provider) = user.fields("auth-provider")? else {
        return Ok(());
    };
    let message = match provider.text("name")? {
        Some("oidc") => {
            "`oidc` is not supported; use an exec plugin such as kubelogin (`kubectl oidc-login`), which renews the \
             tokens"
        }
        Some("gcp") => {
            "`gcp` was removed in Kubernetes 1.26; use the exec plugin gke-gcloud-auth-plugin"
        }
        Some("azure") => "`azure` was removed in Kubernetes 1.26; use the exec plugin kubelogin",
        _ => "it is not supported; use an exec plugin or a token",
    };
    Err(user.error("auth-provider", message))
}

/// A token file takes precedence over a token, like in kubectl. A token together with a password is an error.
fn authorization(user: &Fields<'_>) -> Result<Auth, ConfigError> {
    let token = user.text("token")?.map(Secret::new);
    let file = user.file("tokenFile")?;
    let username = user.text("username")?;
    let password = user.text("password")?;
    let mut given = [("username", username), ("password", password)].into_iter();
    if (token.is_some() || file.is_some())
        && let Some((field, _)) = given.find(|(_, text)| text.is_some())
    {
        let message = "cannot be combined with a token; remove one of the two";
        return Err(user.error(field, message));
    }
    match (file, token, username) {
        (Some(file), None, _) => {
            // Reports a missing file now instead of at the first request.
            file.read()?;
            Ok(Auth::TokenFile(TokenFile::new(file, None)))
        }
        (Some(file), token, _) => Ok(Auth::TokenFile(TokenFile::new(file, token))),
        (None, Some(token), _) => sendable(Auth::Token(token), user, "token"),
        (None, None, Some(username)) => {
            let password = Secret::new(password.unwrap_or_default());
            sendable(Auth::Basic(username.to_owned(), password), user, "username")
        }
        (None, None, None) if password.is_some() => Err(user.error("username", "is missing")),
        (None, None, None) => Ok(Auth::None),
    }
}

fn sendable(auth: Auth, user: &Fields<'_>, field: &str) -> Result<Auth, ConfigError> {
    match auth.header() {
        Ok(_) => Ok(auth),
        Err(error) => Err(error.within(&user.at(field))),
    }
}

fn plugin(exec: &Fields<'_>, cluster: &Fields<'_>) -> Result<ExecPlugin, ConfigError> {
    let Some(command) = exec.text("command")? else {
        return Err(exec.error("command", "is missing"));
    };
    // A name without a separator is looked up in PATH.
    let is_path = command.contains(std::path::is_separator);
    let command = if is_path {
        exec.in_folder(command)
    } else {
        command.into()
    };
    let known = [ExecVersion::V1, ExecVersion::V1Beta1];
    let expected =
        "expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1";
    let version = match exec.text("apiVersion")? {
        None => return Err(exec.error("apiVersion", &format!("is missing; {expected}"))),
        Some(text) => known
            .into_iter()
            .find(|version| version.as_str() == text)
            .ok_or_else(|| {
                let message = format!("`{text}` is not supported; {expected}");
                exec.error("apiVersion", &message)
            })?,
    };
    let modes = "expected Never, IfAvailable or Always";
    let mode = match exec.text("interactiveMode")? {
        Some("Never") => InteractiveMode::Never,
        Some("IfAvailable") => InteractiveMode::IfAvailable,
        Some("Always") => InteractiveMode::Always,
        None if version == ExecVersion::V1Beta1 => InteractiveMode::IfAvailable,
        None => return Err(exec.error("interactiveMode", &format!("is missing; {modes}"))),
        Some(mode) => {
            let message = format!("`{mode}` is not supported; {modes}");
            return Err(exec.error("interactiveMode", &message));
        }
    };
    let mut plugin = ExecPlugin::new(command)
        .with_origin(exec.path())
        .args(exec.texts("args")?)
        .version(version)
        .interactive_mode(mode)
        .provide_cluster_info(exec.flag("provideClusterInfo")?);
    for variable in exec.list("env")? {
        let name = text_of(variable, "name").filter(|name| !name.is_empty());
        // Like in kubectl, the value defaults to the empty text.
        let value = match &variable["value"] {
            Value::Null => Some(""),
            value => value.as_str(),
        };
        let (Some(name), Some(value)) = (name, value) else {
            let expected = "expected a list of maps with name and value, both text";
            return Err(exec.error("env", expected));
        };
        plugin = plugin.env(name, value);
    }
    if let Some(hint) = exec.text("installHint")? {
        plugin = plugin.install_hint(hint);
    }
    let extensions = cluster.list("extensions")?;
    let extension = extensions
        .iter()
        .find(|extension| text_of(extension, "name").is_some_and(|name| name == EXTENSION));
    if let Some(extension) = extension.and_then(|extension| extension.get("extension")) {
        plugin = plugin.cluster_config(extension.clone());
    }
    Ok(plugin)
}

fn impersonation(user: &Fields<'_>) -> Result<Option<Impersonation>, ConfigError> {
    let uid = user.text("as-uid")?;
    let groups = user.texts("as-groups")?;
    let extra = user.fields("as-user-extra")?;
    let Some(name) = user.text("as")? else {
        let given = [
            ("as-uid", uid.is_some()),
            ("as-groups", !groups.is_empty()),
            (
                "as-user-extra",
                extra.is_some_and(|extra| !extra.is_empty()),
            ),
        ];
        return match given.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(user.error(field, "requires `as`, which is missing")),
            None => Ok(None),
        };
    };
    let mut impersonation = Impersonation::new(name);
    if let Some(uid) = uid {
        impersonation = impersonation.uid(uid);
    }
    impersonation = groups.into_iter().fold(impersonation, Impersonation::group);
    if let Some(extra) = extra {
        for key in extra.names() {
            let values = extra.texts(key)?.into_iter();
            impersonation = values.fold(impersonation, |all, value| all.extra(key, value));
        }
    }
    Ok(Some(impersonation))
}
