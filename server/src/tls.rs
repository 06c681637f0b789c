//! TLS with a certificate authority that is created at the start.

use crate::locks::lock;
use jiff::Zoned;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

/// The names under which clients on this host reach the server.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

type Error = Box<dyn std::error::Error + Send + Sync>;

type Issued = (CertificateDer<'static>, PrivatePkcs8KeyDer<'static>);

/// A certificate authority for one host.
#[derive(Clone)]
pub(crate) struct Authority {
    issuer: Arc<Issuer<'static, KeyPair>>,
    ca_pem: Arc<str>,
    names: Vec<String>,
    /// The certificate in use, with its number.
    current: Arc<Mutex<Option<(u64, Issued)>>>,
}

impl Authority {
    /// Creates an authority for the loopback names and the address.
    pub(crate) fn generate(address: IpAddr) -> Result<Self, Error> {
        let mut authority = params(Vec::new(), "k8s-flowcontrol-server-ca")?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = authority.self_signed(&key)?;
        let mut names = NAMES.map(str::to_owned).to_vec();
        if !address.is_unspecified() && !address.is_loopback() {
            names.push(address.to_string());
        }
        Ok(Self {
            issuer: Arc::new(Issuer::new(authority, key)),
            ca_pem: certificate.pem().into(),
            names,
            current: Arc::default(),
        })
    }

    pub(crate) fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// A TLS configuration with these protocols, the best first. Another number than in the previous call makes a new certificate.
    pub(crate) fn acceptor(&self, number: u64, protocols: &[&[u8]]) -> Result<TlsAcceptor, Error> {
        let (certificate, key) = {
            let mut current = lock(&self.current);
            match current.as_ref().filter(|(known, _)| *known == number) {
                Some((_, (certificate, key))) => (certificate.clone(), key.clone_key()),
                None => {
                    let (certificate, key) = self.issue()?;
                    *current = Some((number, (certificate.clone(), key.clone_key())));
                    (certificate, key)
                }
            }
        };
        acceptor(vec![certificate], key.into(), protocols)
    }

    fn issue(&self) -> Result<Issued, Error> {
        let mut server = params(self.names.clone(), "k8s-flowcontrol-server")?;
        server.use_authority_key_identifier_extension = true;
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = server.signed_by(&key, &*self.issuer)?;
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        Ok((certificate.der().clone(), key))
    }
}

/// The TLS configuration of connections.
#[derive(Clone)]
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    ca_pem: Arc<str>,
}

impl Tls {
    /// A configuration for HTTP/1.1, with a certificate of the authority.
    pub(crate) fn new(authority: &Authority) -> Result<Self, Error> {
        Ok(Self {
            acceptor: authority.acceptor(0, &[b"http/1.1"])?,
            ca_pem: authority.ca_pem.clone(),
        })
    }

    /// A certificate with its chain, and its private key, in PEM.
    pub(crate) fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, Error> {
        let certificates = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>()?;
        if certificates.is_empty() {
            return Err("the file has no certificate in PEM".into());
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| format!("the file has no private key in PEM: {error}"))?;
        Ok(Self {
            acceptor: acceptor(certificates, key, &[b"http/1.1"])?,
            ca_pem: "".into(),
        })
    }

    pub(crate) fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

fn acceptor(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    protocols: &[&[u8]],
) -> Result<TlsAcceptor, Error> {
    // An explicit provider: the program may have installed another one, or none.
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(Arc::new(config).into())
}

/// Valid from last year to next February: some clients reject certificates that are valid for years.
fn params(names: Vec<String>, name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    let year = i32::from(Zoned::now().year());
    params.not_before = date_time_ymd(year - 1, 1, 1);
    params.not_after = date_time_ymd(year + 1, 2, 1);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}
