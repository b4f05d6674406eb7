//! Calls of Resend's Rust library that the service answers, with the unmodified library. RESEND_BASE_URL and
//! RESEND_API_KEY are read by the library itself. The first argument is the URL of a webhook endpoint. Prints the names of the
//! calls that held as a JSON array; ends with a panic at the first that does not.

use resend_rs::events::EmailEventType;
use resend_rs::list_opts::ListOptions;
use resend_rs::types::{
    AddSuppressionOptions, BatchAddSuppressionOptions, BatchRemoveSuppressionOptions, BatchValidation,
    CreateApiKeyOptions, CreateAttachment, CreateDomainOptions, CreateEmailBaseOptions, CreateWebhookOptions,
    DomainChanges, ErrorKind, GetEmailMetricsOptions, UpdateApiKeyOptions, UpdateEmailOptions, UpdateWebhookOptions,
};
use resend_rs::{Error, Resend, Result};

const FILE_BYTES: usize = 200_000;

struct Calls {
    held: Vec<String>,
}

impl Calls {
    fn held<T>(&mut self, name: &str, answer: Result<T>) -> T {
        let value = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        self.held.push(name.to_owned());
        value
    }
}

fn refused<T>(name: &str, answer: Result<T>, status: u16, kind: ErrorKind) {
    match answer {
        Err(Error::Resend(error)) => {
            assert_eq!((error.status_code, error.kind()), (status, kind), "{name}: {error}");
            assert!(error.message.ends_with('.'), "{name}: {}", error.message);
        }
        Err(other) => panic!("{name}: {other}"),
        Ok(_) => panic!("{name} was not refused"),
    }
}

fn mail() -> CreateEmailBaseOptions {
    let from = std::env::var("RESEND_SENDER").expect("RESEND_SENDER");
    CreateEmailBaseOptions::new(from, ["ada@example.net"], "Your order").with_text("Thank you.")
}

fn emails(resend: &Resend, calls: &mut Calls) {
    let sent = calls.held("emails.send", resend.emails.send(mail())).id;
    let once = || resend.emails.send(mail().with_idempotency_key("order-7")).expect("idempotency key").id;
    assert_eq!(once(), once());
    let shown = calls.held("emails.get", resend.emails.get(&sent));
    assert_eq!((shown.id, shown.to), (sent, vec!["ada@example.net".to_owned()]));
    let page = calls.held("emails.list", resend.emails.list(ListOptions::default().with_limit(1)));
    assert_eq!(page.len(), 1);
    let file = CreateAttachment::from_content(vec![b'x'; FILE_BYTES]).with_filename("big.txt");
    let with_file = resend.emails.send(mail().with_attachment(file)).expect("a file as numbers").id;
    let files = calls.held(
        "emails.list_attachments",
        resend.emails.list_attachments(&with_file, ListOptions::default()),
    );
    let file = calls.held("emails.get_attachment", resend.emails.get_attachment(&with_file, &files[0].id));
    assert_eq!(file.size as usize, FILE_BYTES);
    let later = resend.emails.send(mail().with_scheduled_at("in 1 hour")).expect("schedule").id;
    calls.held(
        "emails.update",
        resend.emails.update(&later, UpdateEmailOptions::new().with_scheduled_at("tomorrow at 9am")),
    );
    calls.held("emails.cancel", resend.emails.cancel(&later));
    calls.held("emails.metrics", resend.emails.metrics(GetEmailMetricsOptions::default()));
    assert_eq!(calls.held("batch.send", resend.batch.send(vec![mail(), mail()])).len(), 2);
    let empty = CreateEmailBaseOptions::new("nobody", ["ada@example.net"], "x").with_text("x");
    let part = calls.held(
        "batch.send_with_batch_validation",
        resend.batch.send_with_batch_validation(vec![mail(), empty], BatchValidation::Permissive),
    );
    assert_eq!((part.data.len(), part.errors.len()), (1, 1));
}

fn domains(resend: &Resend, calls: &mut Calls) {
    let made = calls.held("domains.create", resend.domains.create(CreateDomainOptions::new("rust.example.com")));
    assert!(made.records.is_some_and(|records| records.len() > 2));
    calls.held("domains.get", resend.domains.get(&made.id));
    assert!(!calls.held("domains.list", resend.domains.list(ListOptions::default())).is_empty());
    calls.held(
        "domains.update",
        resend.domains.update(&made.id, DomainChanges::new().with_open_tracking(true)),
    );
    calls.held("domains.verify", resend.domains.verify(&made.id));
    calls.held("domains.delete", resend.domains.delete(&made.id));
    refused("an unknown domain", resend.domains.get(&made.id), 404, ErrorKind::NotFound);
}

fn keys(resend: &Resend, calls: &mut Calls) {
    let made = calls.held("api_keys.create", resend.api_keys.create(CreateApiKeyOptions::new("Rust").with_sending_access()));
    let limited = Resend::new(&made.token);
    refused("a restricted key", limited.domains.list(ListOptions::default()), 401, ErrorKind::RestrictedApiKey);
    calls.held("api_keys.update", resend.api_keys.update(&made.id, UpdateApiKeyOptions::new("Renamed")));
    assert!(!calls.held("api_keys.list", resend.api_keys.list(ListOptions::default())).is_empty());
    calls.held("api_keys.delete", resend.api_keys.delete(&made.id));
    refused("a deleted key", limited.emails.list(ListOptions::default()), 403, ErrorKind::Unrecognized);
}

fn webhooks(resend: &Resend, calls: &mut Calls, endpoint: &str) {
    let options = CreateWebhookOptions::new(endpoint, [EmailEventType::EmailDelivered]);
    let id = calls.held("webhooks.create", resend.webhooks.create(options)).id;
    calls.held("webhooks.get", resend.webhooks.get(&id));
    assert_eq!(calls.held("webhooks.list", resend.webhooks.list(ListOptions::default())).len(), 1);
    let change = UpdateWebhookOptions::default().with_endpoint(endpoint);
    calls.held("webhooks.update", resend.webhooks.update(&id, change));
    let sent = resend.emails.send(mail()).expect("a mail for the webhook").id;
    let event = (0..200)
        .find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let page = resend.webhooks.list_events(&id, ListOptions::default()).expect("events");
            page.data.into_iter().find(|event| event.event_type == "email.delivered")
        })
        .unwrap_or_else(|| panic!("no event of {sent}"));
    calls.held("webhooks.list_events", resend.webhooks.list_events(&id, ListOptions::default()));
    calls.held("webhooks.get_event", resend.webhooks.get_event(&id, &event.id));
    calls.held("webhooks.replay_event", resend.webhooks.replay_event(&id, &event.id));
    calls.held(
        "webhooks.list_event_attempts",
        resend.webhooks.list_event_attempts(&id, &event.id, ListOptions::default()),
    );
    calls.held("webhooks.rotate_signing_secret", resend.webhooks.rotate_signing_secret(&id));
    assert!(calls.held("webhooks.delete", resend.webhooks.delete(&id)));
}

fn suppressions(resend: &Resend, calls: &mut Calls) {
    let add = AddSuppressionOptions::new().with_email("b+1@example.net");
    let added = calls.held("suppressions.add", resend.suppressions.add(add)).id;
    assert_eq!(calls.held("suppressions.get", resend.suppressions.get(&added)).email, "b+1@example.net");
    assert!(!calls.held("suppressions.list", resend.suppressions.list(ListOptions::default())).is_empty());
    assert!(calls.held("suppressions.remove", resend.suppressions.remove("b+1@example.net")).deleted);
    let both = ["c@example.net", "d@example.net"];
    let add = BatchAddSuppressionOptions::new().add_emails(both);
    calls.held("suppressions.batch_add", resend.suppressions.batch_add(add));
    let remove = BatchRemoveSuppressionOptions::new().add_emails(both);
    calls.held("suppressions.batch_remove", resend.suppressions.batch_remove(remove));
}

fn account(resend: &Resend, calls: &mut Calls) {
    let logs = calls.held("logs.list", resend.logs.list(ListOptions::default()));
    calls.held("logs.get", resend.logs.get(&logs[0].id));
    calls.held("usage.get", resend.usage.get());
}

fn errors(resend: &Resend) {
    let from = |from: &str| resend.emails.send(CreateEmailBaseOptions::new(from, ["a@example.net"], "x").with_text("x"));
    refused("an invalid sender", from("nobody"), 400, ErrorKind::ValidationError);
    refused("an unknown domain", from("a@elsewhere.example.org"), 403, ErrorKind::ValidationError);
    let empty = CreateEmailBaseOptions::new("a@example.org", ["a@example.net"], "x");
    refused("no content", resend.emails.send(empty), 422, ErrorKind::MissingRequiredField);
    refused("a feature that does not exist", resend.segments.list(ListOptions::default()), 404, ErrorKind::NotFound);
}

/// The kind that the library gives to each name of the arguments.
fn kinds(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("{:?}", ErrorKind::from(name))).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments[0] == "--kinds" {
        println!("{}", serde_json::json!(kinds(&arguments[1..])));
        return;
    }
    let resend = Resend::default();
    let mut calls = Calls { held: vec![] };
    emails(&resend, &mut calls);
    domains(&resend, &mut calls);
    keys(&resend, &mut calls);
    webhooks(&resend, &mut calls, &arguments[0]);
    suppressions(&resend, &mut calls);
    account(&resend, &mut calls);
    errors(&resend);
    println!("{}", serde_json::json!(calls.held));
}
