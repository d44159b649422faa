//! One real kube-apiserver with its etcd for a whole test binary, from the programs in
//! `KUBEBUILDER_ASSETS`; tests that need it are skipped where that is not set.
//!
//! The programs end with the test binary, however it ends: each runs under a shell that waits for
//! the end of a pipe that only the binary holds open.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};

/// The server of this test binary.
pub struct ApiServer {
    kubeconfig: Kubeconfig,
    _folder: tempfile::TempDir,
    _programs: Vec<Child>,
}

/// Starts the server at the first call. `None`, and a line that says so, where there is none.
pub fn apiserver() -> Option<&'static ApiServer> {
    static SERVER: OnceLock<Option<ApiServer>> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from)?;
        // On a thread of its own, since it waits on a runtime of its own.
        Some(std::thread::spawn(move || start(&assets)).join().unwrap())
    });
    if server.is_none() {
        eprintln!(
            "skipped: KUBEBUILDER_ASSETS does not name a folder with kube-apiserver and etcd"
        );
    }
    server.as_ref()
}

impl ApiServer {
    /// How to reach it.
    #[allow(dead_code)] // not every test binary writes a kubeconfig
    pub fn kubeconfig(&self) -> &Kubeconfig {
        &self.kubeconfig
    }

    /// A client of the runtime that asks.
    pub async fn client(&self) -> Client {
        let options = KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(self.kubeconfig.clone(), &options)
            .await
            .unwrap();
        Client::try_from(config).unwrap()
    }
}

fn start(assets: &Path) -> ApiServer {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let ports: Vec<u16> = {
        let listeners: Vec<_> = (0..3)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        listeners
            .iter()
            .map(|l| l.local_addr().unwrap().port())
            .collect()
    };
    let key = rcgen::KeyPair::generate().unwrap();
    std::fs::write(at("sa.key"), key.serialize_pem()).unwrap();
    std::fs::write(at("sa.pub"), key.public_key_pem()).unwrap();
    std::fs::write(at("tokens.csv"), "test,admin,admin,\"system:masters\"\n").unwrap();
    let url = |port: u16| format!("http://127.0.0.1:{port}");
    let etcd = program(
        &assets.join("etcd"),
        &at("etcd.log"),
        &[
            format!("--data-dir={}", at("etcd")),
            "--unsafe-no-fsync".into(),
            format!("--listen-client-urls={}", url(ports[0])),
            format!("--advertise-client-urls={}", url(ports[0])),
            format!("--listen-peer-urls={}", url(ports[1])),
            format!("--initial-advertise-peer-urls={}", url(ports[1])),
            format!("--initial-cluster=default={}", url(ports[1])),
        ],
    );
    let api = program(
        &assets.join("kube-apiserver"),
        &at("kube-apiserver.log"),
        &[
            format!("--etcd-servers={}", url(ports[0])),
            format!("--cert-dir={}", at("certs")),
            "--bind-address=127.0.0.1".into(),
            "--advertise-address=127.0.0.1".into(),
            format!("--secure-port={}", ports[2]),
            "--service-cluster-ip-range=10.0.0.0/24".into(),
            format!("--token-auth-file={}", at("tokens.csv")),
            "--authorization-mode=RBAC".into(),
            "--service-account-issuer=https://test.local".into(),
            format!("--service-account-key-file={}", at("sa.pub")),
            format!("--service-account-signing-key-file={}", at("sa.key")),
            "--endpoint-reconciler-type=none".into(),
            "--disable-admission-plugins=ServiceAccount".into(),
        ],
    );
    let kubeconfig = Kubeconfig::from_yaml(&format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
         contexts: [{{name: test, context: {{cluster: test, user: admin}}}}]\n\
         clusters: [{{name: test, cluster: {{server: 'https://127.0.0.1:{}', insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: admin, user: {{token: test}}}}]\n",
        ports[2]
    ))
    .unwrap();
    let server = ApiServer {
        kubeconfig,
        _folder: folder,
        _programs: vec![etcd, api],
    };
    wait(&server);
    server
}

/// Starts a program that ends when this process does.
fn program(program: &Path, log: &str, flags: &[String]) -> Child {
    let log = std::fs::File::create(log).unwrap();
    Command::new("sh")
        .args(["-c", "\"$@\" </dev/null & cat >/dev/null; kill -9 $!", "sh"])
        .arg(program)
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Waits until it is ready.
fn wait(server: &ApiServer) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = server.client().await;
        let begun = Instant::now();
        loop {
            let request = http::Request::get("/readyz").body(Vec::new()).unwrap();
            if client.request_text(request).await.is_ok() {
                break;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "kube-apiserver is not ready after 60 s"
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}
