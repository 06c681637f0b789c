//! A SOCKS 5 proxy.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Forwards every connection to one server and records the requested addresses.
pub(crate) struct SocksProxy {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl SocksProxy {
    /// With `credentials`, requires them.
    pub(crate) async fn start(
        server: SocketAddr,
        credentials: Option<(&'static str, &'static str)>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let sink = asked.clone();
        let task = crate::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                crate::spawn(pass(stream, server, credentials, sink.clone()));
            }
        });
        Self {
            address,
            asked,
            task,
        }
    }

    /// The requested addresses, as `name HOST PORT` or `address HOST PORT`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for SocksProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    mut stream: TcpStream,
    server: SocketAddr,
    credentials: Option<(&str, &str)>,
    asked: Arc<Mutex<Vec<String>>>,
) -> Option<()> {
    assert_eq!(stream.read_u8().await.ok()?, 5);
    let methods = bytes(&mut stream).await?;
    let method = if credentials.is_some() { 2 } else { 0 };
    if !methods.contains(&method) {
        return stream.write_all(&[5, 0xff]).await.ok();
    }
    stream.write_all(&[5, method]).await.ok()?;
    if let Some((username, password)) = credentials {
        assert_eq!(stream.read_u8().await.ok()?, 1);
        let (name, word) = (bytes(&mut stream).await?, bytes(&mut stream).await?);
        let known = name == username.as_bytes() && word == password.as_bytes();
        stream.write_all(&[1, u8::from(!known)]).await.ok()?;
    }
    let mut start = [0; 4];
    stream.read_exact(&mut start).await.ok()?;
    let host = match start[3] {
        1 => {
            let mut address = [0; 4];
            stream.read_exact(&mut address).await.ok()?;
            format!("address {}", std::net::Ipv4Addr::from(address))
        }
        4 => {
            let mut address = [0; 16];
            stream.read_exact(&mut address).await.ok()?;
            format!("address {}", std::net::Ipv6Addr::from(address))
        }
        _ => format!(
            "name {}",
            String::from_utf8(bytes(&mut stream).await?).unwrap()
        ),
    };
    let port = stream.read_u16().await.ok()?;
    asked.lock().unwrap().push(format!("{host} {port}"));
    let mut upstream = TcpStream::connect(server).await.ok()?;
    stream
        .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        .await
        .ok()?;
    copy_bidirectional(&mut stream, &mut upstream).await.ok()?;
    Some(())
}

/// Bytes with their length in front.
async fn bytes(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let length = stream.read_u8().await.ok()?;
    let mut bytes = vec![0; usize::from(length)];
    stream.read_exact(&mut bytes).await.ok()?;
    Some(bytes)
}
