//! Certificates of all kinds.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use std::ops::Range;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// A certificate authority.
pub(crate) struct Authority {
    pub(crate) pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) chain: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let (params, key) = Self::params(name);
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { pem, issuer }
    }

    /// An intermediate authority signed by this one.
    pub(crate) fn intermediate(&self, name: &str) -> Self {
        let (params, key) = Self::params(name);
        let pem = params.signed_by(&key, &self.issuer).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { pem, issuer }
    }

    pub(crate) fn sign(&self, names: &[&str]) -> Identity {
        self.sign_between(names, 2000..2999)
    }

    /// A certificate that is valid from the beginning of a year to that of another one.
    pub(crate) fn sign_between(&self, names: &[&str], years: Range<i32>) -> Identity {
        self.sign_key(names, years, &KeyPair::generate().unwrap())
    }

    /// A certificate for a key in PKCS#8.
    pub(crate) fn sign_pem(&self, names: &[&str], key: &str) -> Identity {
        self.sign_key(names, 2000..2999, &KeyPair::from_pem(key).unwrap())
    }

    fn sign_key(&self, names: &[&str], years: Range<i32>, key: &KeyPair) -> Identity {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names.clone()).unwrap();
        params.not_before = date_time_ymd(years.start, 1, 1);
        params.not_after = date_time_ymd(years.end, 1, 1);
        params
            .distinguished_name
            .push(DnType::CommonName, &names[0]);
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(key, &self.issuer).unwrap();
        Identity {
            chain: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    fn params(name: &str) -> (CertificateParams, KeyPair) {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        (params, KeyPair::generate().unwrap())
    }
}

/// A certificate that signed itself and may sign others, for a server on this host.
pub(crate) fn own_authority(name: &str, year: i32, usage: ExtendedKeyUsagePurpose) -> Identity {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(year, 1, 1);
    params.extended_key_usages = vec![usage];
    let key = KeyPair::generate().unwrap();
    Identity {
        chain: params.self_signed(&key).unwrap().pem(),
        key: key.serialize_pem(),
    }
}

impl Identity {
    /// The TLS configuration of a server with this certificate. With `clients`, it requires a client certificate of that
    /// authority.
    pub(crate) fn server(&self, clients: Option<&Authority>) -> Arc<ServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                let root = CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap();
                roots.add(root).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let chain = CertificateDer::pem_slice_iter(self.chain.as_bytes());
        let chain = chain.collect::<Result<_, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        Arc::new(builder.with_single_cert(chain, key).unwrap())
    }
}

/// The key inside PKCS#8, which is in PKCS#1 (RSA) or SEC1 (elliptic curves).
pub(crate) fn traditional_key(pkcs8: &str, label: &str) -> String {
    let PrivateKeyDer::Pkcs8(key) = PrivateKeyDer::from_pem_slice(pkcs8.as_bytes()).unwrap() else {
        panic!("expected PKCS#8");
    };
    // SEQUENCE { INTEGER version, SEQUENCE algorithm, OCTET STRING key, … }
    let (_, inner, _) = element(key.secret_pkcs8_der());
    let (_, _, rest) = element(inner);
    let (_, _, rest) = element(rest);
    let (tag, key, _) = element(rest);
    assert_eq!(tag, 4);
    let text = base64(key);
    let lines: Vec<_> = text.as_bytes().chunks(64).collect();
    let lines: Vec<_> = lines
        .iter()
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    let body = lines.join("\n");
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

/// The tag and content of a DER element, and the rest of the input.
fn element(der: &[u8]) -> (u8, &[u8], &[u8]) {
    let (tag, first) = (der[0], usize::from(der[1]));
    let (length, start) = if first < 0x80 {
        (first, 2)
    } else {
        let count = first & 0x7f;
        let bytes = &der[2..2 + count];
        let length = bytes
            .iter()
            .fold(0, |all, byte| all << 8 | usize::from(*byte));
        (length, 2 + count)
    };
    (tag, &der[start..start + length], &der[start + length..])
}
