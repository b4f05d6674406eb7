"""
Every call of Resend's Python package that the service answers, made with the unmodified package.
RESEND_API_URL and RESEND_API_KEY are read by the package itself. Prints one line of JSON: the names of the calls that
held. Ends with 1 and a traceback at the first that does not.
"""

import base64
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import resend
from resend.exceptions import InvalidApiKeyError, MissingRequiredFieldsError, ResendError, ValidationError

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NOBODYS = "01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa"
MAIL = {
    "from": os.environ["RESEND_SENDER"],
    "to": ["ada@example.net"],
    "subject": "Your order",
    "html": "<p>Thank you.</p>",
    "tags": [{"name": "order", "value": "7"}],
}

done = []


def call(name, function, *arguments):
    """What the call gave, noted as held."""
    answer = function(*arguments)
    assert answer["http_headers"]["x-api-version"] == "1", name
    done.append(name)
    return answer


def refused(expected, code, name, function, *arguments):
    try:
        function(*arguments)
    except ResendError as error:
        assert type(error) is expected, (name, type(error))
        assert (int(error.code), error.error_type) == (code, name), (error.code, error.error_type)
        assert error.message.endswith("."), error.message
        return
    raise AssertionError(f"{name} was not refused")


def until(ask):
    for _ in range(200):
        answer = ask()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError("did not come")


def is_list(answer, size=None):
    assert answer["object"] == "list" and isinstance(answer["has_more"], bool), answer
    assert size is None or len(answer["data"]) == size, answer
    return answer["data"]


class Receiver(BaseHTTPRequestHandler):
    """An endpoint as users of the package write it."""

    calls = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        Receiver.calls.append((dict((name.lower(), value) for name, value in self.headers.items()), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def sending():
    sent = call("emails.send", resend.Emails.send, MAIL)
    assert UUID.fullmatch(sent["id"])
    key = {"idempotency_key": "order-7"}
    first = resend.Emails.send(MAIL, key)
    again = resend.Emails.send(MAIL, key)
    assert first["id"] == again["id"] and again["http_headers"]["idempotent-replayed"] == "true"
    batch = call("batch.send", resend.Batch.send, [MAIL, {**MAIL, "to": "eve@example.net"}])
    assert len({mail["id"] for mail in batch["data"]}) == 2 and "errors" not in batch
    bad = {**MAIL, "to": "nobody"}
    part = resend.Batch.send([MAIL, bad], {"batch_validation": "permissive"})
    assert len(part["data"]) == 1 and part["errors"][0]["index"] == 1, part
    refused(ValidationError, 400, "validation_error", resend.Emails.send, bad)
    refused(MissingRequiredFieldsError, 422, "missing_required_field", resend.Emails.send, {"from": MAIL["from"]})
    refused(ResendError, 403, "validation_error", resend.Emails.send, {**MAIL, "from": "shop@elsewhere.example.org"})
    return sent["id"]


def reading(sent):
    mail = call("emails.get", resend.Emails.get, sent)
    assert (mail["object"], mail["id"], mail["from"]) == ("email", sent, MAIL["from"]), mail
    assert (mail["to"], mail["subject"], mail["html"]) == (MAIL["to"], MAIL["subject"], MAIL["html"]), mail
    assert mail["tags"] == MAIL["tags"] and mail["last_event"] and TIME.fullmatch(mail["created_at"]), mail
    first = is_list(call("emails.list", resend.Emails.list, {"limit": 2}), 2)
    assert first[0]["id"] not in [each["id"] for each in is_list(resend.Emails.list({"after": first[0]["id"]}))]
    refused(ResendError, 404, "not_found", resend.Emails.get, NOBODYS)
    file = {"filename": "note.txt", "content": base64.b64encode(b"a note").decode()}
    with_file = resend.Emails.send({**MAIL, "attachments": [file]})["id"]
    [listed] = is_list(call("emails.attachments.list", resend.Emails.Attachments.list, with_file), 1)
    got = call("emails.attachments.get", resend.Emails.Attachments.get, with_file, listed["id"])
    assert (got["filename"], got["content_type"]) == ("note.txt", "text/plain") and got["download_url"], got
    numbers = {"filename": "big.txt", "content": [32 + i % 90 for i in range(200_000)]}
    [listed] = is_list(resend.Emails.Attachments.list(resend.Emails.send({**MAIL, "attachments": [numbers]})["id"]), 1)
    assert listed["size"] == 200_000, listed
    metrics = call("emails.metrics", resend.Emails.metrics, {"metrics": ["sent", "delivered"], "dimensions": ["period"]})
    assert metrics["object"] == "metrics" and set(metrics["totals"]) >= {"sent", "delivered"}, metrics


def scheduling():
    later = resend.Emails.send({**MAIL, "scheduled_at": "in 1 hour"})["id"]
    update = {"id": later, "scheduled_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))}
    assert call("emails.update", resend.Emails.update, update)["id"] == later
    assert resend.Emails.get(later)["scheduled_at"].startswith(update["scheduled_at"][:-1])
    assert call("emails.cancel", resend.Emails.cancel, later)["id"] == later
    assert resend.Emails.get(later)["last_event"] == "canceled"


def domains():
    made = call("domains.create", resend.Domains.create, {"name": "py.example.com", "region": "eu-west-1"})
    assert UUID.fullmatch(made["id"]) and made["status"] == "pending" and TIME.fullmatch(made["created_at"]), made
    assert {record["record"] for record in made["records"]} == {"SPF", "DKIM", "Tracking"}, made
    assert made["dmarc"]["name"] == "_dmarc.py.example.com", made
    names = {each["name"]: each["status"] for each in is_list(call("domains.list", resend.Domains.list))}
    assert names["py.example.com"] == "pending" and "verified" in names.values(), names
    update = {"id": made["id"], "open_tracking": True, "tls": "enforced"}
    assert call("domains.update", resend.Domains.update, update)["id"] == made["id"]
    shown = call("domains.get", resend.Domains.get, made["id"])
    assert shown["open_tracking"] is True and shown["region"] == "eu-west-1", shown
    assert call("domains.verify", resend.Domains.verify, made["id"])["object"] == "domain"
    assert call("domains.remove", resend.Domains.remove, made["id"])["deleted"] is True
    refused(ResendError, 404, "not_found", resend.Domains.get, made["id"])


def api_keys():
    made = call("api_keys.create", resend.ApiKeys.create, {"name": "Py", "permission": "sending_access"})
    assert UUID.fullmatch(made["id"]) and made["token"].startswith("pl_live_"), made
    own, resend.api_key = resend.api_key, made["token"]
    assert resend.Emails.send(MAIL)["id"]
    refused(ResendError, 401, "restricted_api_key", resend.Domains.list)
    resend.api_key = own
    assert call("api_keys.update", resend.ApiKeys.update, {"id": made["id"], "name": "Renamed"})["id"] == made["id"]
    assert "Renamed" in [each["name"] for each in is_list(call("api_keys.list", resend.ApiKeys.list))]
    assert call("api_keys.remove", resend.ApiKeys.remove, made["id"])["deleted"] is True
    resend.api_key = made["token"]
    refused(InvalidApiKeyError, 403, "invalid_api_key", resend.Domains.list)
    resend.api_key = own


def webhooks():
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}/hook"
    made = call("webhooks.create", resend.Webhooks.create, {"endpoint": endpoint, "events": ["email.complained"]})
    id, secret = made["id"], made["signing_secret"]
    shown = call("webhooks.get", resend.Webhooks.get, id)
    assert (shown["endpoint"], shown["signing_secret"], shown["events"]) == (endpoint, secret, ["email.complained"]), shown
    assert [each["id"] for each in is_list(call("webhooks.list", resend.Webhooks.list))] == [id]
    change = {"webhook_id": id, "events": ["email.delivered"], "status": "enabled"}
    assert call("webhooks.update", resend.Webhooks.update, change)["id"] == id

    sent = resend.Emails.send(MAIL)["id"]
    # Mail from before may still be on its way here.
    about = lambda call: json.loads(call[1])["data"]["email_id"]
    headers, body = until(lambda: next((each for each in Receiver.calls if about(each) == sent), None))
    signed = {name: headers[f"svix-{name}"] for name in ("id", "timestamp", "signature")}
    told = resend.Webhooks.verify({"payload": body, "headers": signed, "webhook_secret": secret})
    done.append("webhooks.verify")
    assert (told["type"], told["data"]["email_id"]) == ("email.delivered", sent), told

    events = lambda: is_list(resend.Webhooks.list_events(id))
    ours = lambda each: (each["id"], each["status"]) == (signed["id"], "success")
    [event] = until(lambda: [each for each in events() if ours(each)])
    call("webhooks.list_events", resend.Webhooks.list_events, id, {"limit": 1})
    detail = call("webhooks.get_event", resend.Webhooks.get_event, id, event["id"])
    assert detail["payload"] == json.loads(body) and detail["next_attempt_at"] is None, detail
    [attempt] = is_list(call("webhooks.list_event_attempts", resend.Webhooks.list_event_attempts, id, event["id"]), 1)
    assert (attempt["http_status_code"], attempt["response"]) == (200, ""), attempt
    assert call("webhooks.replay_event", resend.Webhooks.replay_event, id, event["id"])["id"] == event["id"]
    until(lambda: len(Receiver.calls) == 2)
    rotated = call("webhooks.rotate_signing_secret", resend.Webhooks.rotate_signing_secret, id)
    assert rotated["signing_secret"] not in (None, secret), rotated
    assert call("webhooks.remove", resend.Webhooks.remove, id)["deleted"] is True
    refused(ResendError, 404, "not_found", resend.Webhooks.get, id)
    server.shutdown()


def suppressions():
    address = "b+1@example.net"
    added = call("suppressions.add", resend.Suppressions.add, {"email": address})
    assert added["object"] == "suppression" and UUID.fullmatch(added["id"]), added
    for name in (added["id"], address):
        shown = call("suppressions.get", resend.Suppressions.get, name)
        assert (shown["id"], shown["email"], shown["origin"]) == (added["id"], address, "manual"), shown
    assert address in [each["email"] for each in is_list(call("suppressions.list", resend.Suppressions.list))]
    assert is_list(resend.Suppressions.list({"origin": "bounce"}), 0) == []
    skipped = resend.Emails.send({**MAIL, "to": address})["id"]
    assert resend.Emails.get(skipped)["last_event"] == "suppressed"
    assert call("suppressions.remove", resend.Suppressions.remove, address)["deleted"] is True
    both = {"emails": ["c@example.net", "d@example.net"]}
    made = call("suppressions.batch.add", resend.Suppressions.Batch.add, both)
    assert len(made["data"]) == 2, made
    ids = {"ids": [each["id"] for each in made["data"]]}
    gone = call("suppressions.batch.remove", resend.Suppressions.Batch.remove, ids)
    assert [each["deleted"] for each in gone["data"]] == [True, True], gone


def account():
    usage = call("usage.get", resend.Usage.get)
    assert usage["object"] == "usage", usage
    # Statistics follow the mail within seconds.
    until(lambda: resend.Usage.get()["emails"]["monthly"]["used"] > 0)
    logs = until(lambda: is_list(resend.Logs.list({"limit": 5})))
    call("logs.list", resend.Logs.list)
    log = call("logs.get", resend.Logs.get, logs[0]["id"])
    assert log["id"] == logs[0]["id"] and log["method"] and log["response_status"], log


def absent():
    for function in (resend.Broadcasts.list, resend.Segments.list, resend.Topics.list, resend.Templates.list):
        refused(ResendError, 404, "not_found", function)


resend.default_http_client = resend.RequestsClient(timeout=10)
id = sending()
reading(id)
scheduling()
domains()
api_keys()
webhooks()
suppressions()
account()
absent()
print(json.dumps(sorted(set(done))))
