//! Does what the console asks of the hub, and answers with the ticket of the question.
//!
//! A read-only session's desk holds no [`Writer`], so it has nothing to write with.

use std::collections::BTreeMap;

use kube::api::DynamicObject;
use kube::discovery::ApiResource;
use kube::{Api, Client};

use crate::api;
use crate::clock::Clock;
use crate::console::effect::{Effect, ObjectRef, Write, WriteRequest};
use crate::console::msg::{Answer, Kind, Refused, RefusedClass, Ticket};
use crate::engine::approval;
use crate::engine::skip::{self, Target};
use crate::hub::verbs::{self, Expect};

/// Reads for the console, and writes if it may.
#[derive(Clone)]
pub(super) struct Desk {
    client: Client,
    clock: Clock,
    writer: Option<Writer>,
}

/// The only thing here that can write.
#[derive(Clone)]
struct Writer {
    client: Client,
    user: String,
}

impl Desk {
    pub fn new(client: Client, clock: Clock, user: &str, read_only: bool) -> Self {
        let writer = (!read_only).then(|| Writer {
            client: client.clone(),
            user: user.to_owned(),
        });
        Self {
            client,
            clock,
            writer,
        }
    }

    /// Does one thing; `None` when nothing is to be answered.
    pub async fn answer(&self, effect: Effect) -> Option<(Ticket, Result<Answer, Refused>)> {
        match effect {
            Effect::Write(request) => {
                let ticket = request.ticket;
                let answer = match &self.writer {
                    Some(writer) => writer.write(request).await,
                    None => Err(read_only()),
                };
                Some((ticket, answer))
            }
            Effect::CheckSkip {
                ticket,
                run,
                targets,
            } => Some((ticket, self.check_skip(&run, &targets).await)),
            Effect::CheckApproval { ticket, gates } => {
                Some((ticket, self.check_approval(&gates).await))
            }
            Effect::Plan { ticket, name, spec } => {
                let plan = verbs::plan(&self.client, &name, &spec).await;
                Some((
                    ticket,
                    plan.map(|p| Answer::Plan(Box::new(p))).map_err(refused),
                ))
            }
            Effect::LoadYaml { ticket, kind, name } => Some((ticket, self.yaml(kind, &name).await)),
            Effect::Follow { .. }
            | Effect::Copy(_)
            | Effect::RetryLink
            | Effect::WakeAt(_)
            | Effect::Sleep
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Quit => None,
        }
    }

    async fn check_skip(&self, run: &str, targets: &[String]) -> Result<Answer, Refused> {
        let targets = parse(targets)?;
        let scene = verbs::scene(&self.client, run, &Expect::default())
            .await
            .map_err(refused)?;
        let effect = skip::check(&scene.world(), &targets)
            .map_err(|r| refused(verbs::Error::refused(verbs::Object::run(run), r)))?;
        Ok(Answer::Skip(Box::new(effect)))
    }

    async fn check_approval(&self, gates: &[(String, String)]) -> Result<Answer, Refused> {
        let mut by_run: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (run, gate) in gates {
            by_run.entry(run).or_default().push(gate);
        }
        let mut effects = Vec::new();
        for (run, gates) in by_run {
            let any = Expect::default();
            let scene = verbs::scene(&self.client, run, &any).await;
            let scene = scene.map_err(refused)?;
            let effect = approval::check(&scene.world(), &gates, self.clock.now())
                .map_err(|r| refused(verbs::Error::refused(verbs::Object::run(run), r)))?;
            effects.push((run.to_owned(), effect));
        }
        Ok(Answer::Approval(effects))
    }

    async fn yaml(&self, kind: Kind, name: &str) -> Result<Answer, Refused> {
        let resource = ApiResource {
            group: api::GROUP.to_owned(),
            version: api::VERSION.to_owned(),
            api_version: api::API_VERSION.to_owned(),
            kind: kind.as_str().to_owned(),
            plural: kind.plural().to_owned(),
        };
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource);
        let what = verbs::Object::new(kind.as_str(), name);
        let read = api.get(name).await;
        let mut object = read.map_err(|e| refused(verbs::Error::from_kube(e, what.clone())))?;
        object.metadata.managed_fields = None;
        match serde_saphyr::to_string(&object) {
            Ok(text) => Ok(Answer::Yaml(text)),
            Err(error) => Err(refused(verbs::Error::Hub(what, error.to_string()))),
        }
    }
}

impl Writer {
    async fn write(&self, request: WriteRequest) -> Result<Answer, Refused> {
        let WriteRequest { object, write, .. } = request;
        let (generation, request) = self.verb(&object, write).await.map_err(refused)?;
        Ok(Answer::Written {
            generation: generation.unwrap_or_default(),
            request,
        })
    }

    /// Generation of the object after the write, `None` for a deleted one; and the id of the
    /// request, where it has one.
    async fn verb(
        &self,
        object: &ObjectRef,
        write: Write,
    ) -> Result<(Option<i64>, String), verbs::Error> {
        let (client, name) = (&self.client, object.name.as_str());
        let by = Some(self.user.as_str()).filter(|u| !u.is_empty());
        // The verbs judge on fresh objects; identity and generation say that it is still the same
        // thing, asking for the same. Its progress since then is what the judging is for.
        let expect = Expect {
            uid: Some(object.uid.clone()).filter(|u| !u.is_empty()),
            generation: Some(object.generation).filter(|g| *g > 0),
            ..Expect::default()
        };
        let run = match write {
            Write::Start => verbs::start(client, name, &expect).await?,
            Write::Stop => verbs::stop(client, name, &expect).await?,
            Write::Skip { targets, comment } => {
                let targets = targets
                    .iter()
                    .map(|t| t.parse::<Target>())
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|r| verbs::Error::refused(verbs::Object::run(name), r))?;
                let comment = comment.as_deref();
                let asked = verbs::skip(client, name, &targets, by, comment, &expect).await?;
                return Ok((asked.run.metadata.generation, asked.id));
            }
            Write::Approve { comment } => {
                let which = verbs::Which::Name(name.to_owned());
                let gate = verbs::approve(client, &which, by, comment.as_deref(), &expect).await?;
                return Ok((gate.metadata.generation, String::new()));
            }
            Write::CreateRun { spec } => verbs::create(client, name, &spec).await?.run,
            Write::Delete => {
                verbs::delete(client, name, &expect).await?;
                return Ok((None, String::new()));
            }
        };
        Ok((run.metadata.generation, String::new()))
    }
}

fn parse(targets: &[String]) -> Result<Vec<Target>, Refused> {
    let parsed: Result<Vec<_>, _> = targets.iter().map(|t| t.parse::<Target>()).collect();
    parsed.map_err(|r| refused(verbs::Error::refused(verbs::Object::new("Target", ""), r)))
}

/// What a question gets while there is no hub to ask.
pub(super) fn no_link() -> Refused {
    Refused {
        class: RefusedClass::Link,
        code: "HubUnreachable".to_owned(),
        message: "The hub has not answered yet".to_owned(),
        hint: "Try again when the link is live".to_owned(),
    }
}

fn read_only() -> Refused {
    Refused {
        class: RefusedClass::Denied,
        code: "ReadOnly".to_owned(),
        message: "This session is read-only".to_owned(),
        hint: "Start the console without --read-only to write".to_owned(),
    }
}

fn refused(error: verbs::Error) -> Refused {
    use verbs::Error as E;
    let class = match &error {
        E::Refused(..) | E::Exists(_) | E::Hub(..) => RefusedClass::Rule,
        E::NotFound(_) | E::NoKinds => RefusedClass::Gone,
        E::Replaced(_) | E::Changed(_) | E::Contended(_) => RefusedClass::Conflict,
        E::Denied(..) => RefusedClass::Denied,
        E::Unauthorized(_) | E::Unreachable(_) => RefusedClass::Link,
    };
    Refused {
        class,
        code: error.code().to_owned(),
        message: error.to_string(),
        hint: error.hint().to_owned(),
    }
}
