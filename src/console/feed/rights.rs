//! Asks who we are and what we may write, once the hub has answered something.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::mpsc;

use super::link::LinkState;
use crate::api;
use crate::console::msg::{Kind, Msg, Rights};
use crate::hub::rights;

/// Rights can change while the console is open.
const AGAIN: Duration = Duration::from_secs(600);
/// Pause after a question that got no answer.
const FAILED: Duration = Duration::from_secs(60);

/// What the console's actions write.
const ASKED: &[(&str, Kind)] = &[
    ("create", Kind::Run),
    ("patch", Kind::Run),
    ("delete", Kind::Run),
    ("patch", Kind::Gate),
    ("delete", Kind::Strategy),
];

/// Tells the console its rights now and every ten minutes. A `person` who is known otherwise (a hub
/// inside this process knows only the process) is not asked for.
pub(super) async fn ask(
    client: Client,
    person: Option<String>,
    read_only: bool,
    sender: mpsc::Sender<Msg>,
    link: Arc<LinkState>,
) {
    loop {
        let pause = match rights(&client, person.as_deref(), read_only).await {
            Ok(rights) => {
                if sender.send(Msg::Rights(rights)).await.is_err() {
                    return;
                }
                AGAIN
            }
            Err(_) => FAILED,
        };
        link.pause(pause).await;
    }
}

async fn rights(
    client: &Client,
    known: Option<&str>,
    read_only: bool,
) -> Result<Rights, crate::hub::Error> {
    let person = rights::who(client).await?;
    let mut denied = Vec::new();
    if !read_only {
        for (verb, kind) in ASKED {
            if !rights::may(client, verb, api::GROUP, kind.plural(), None).await? {
                denied.push(((*verb).to_owned(), *kind));
            }
        }
    }
    Ok(Rights {
        user: known.map_or(person.name, str::to_owned),
        groups: person.groups,
        denied,
    })
}
