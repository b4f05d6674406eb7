"""Hooks of Schemathesis for this service: things that exist, and a key that survives the run.

The ids that openapi.json gives as examples stand for things that are made here first, so that operations on one thing
are tried on a real one as well as on none. A request that is valid by openapi.json also gets what a schema cannot state:
domains of the account, times in the future, one of two exclusive parameters.
"""

import base64
import datetime
import itertools
import json
import os
import sys
import time
import urllib.request
import zlib

import schemathesis

sys.path.insert(0, os.path.dirname(__file__))
from fuzz_formats import RECIPIENTS, SUPPRESSED, domain_name, url  # noqa: E402

URL = os.environ["FUZZ_URL"]
KEY = os.environ["FUZZ_KEY"]
DOMAIN = os.environ["FUZZ_DOMAIN"]
EXAMPLE = "01978c0e5f7b7c3a9d21f0b64c1e88aa"
SENDER = f"shop@{DOMAIN}"


def call(method, path, body=None):
    request = urllib.request.Request(URL + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("authorization", f"Bearer {KEY}")
    if body is not None:
        request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def first_id(path):
    answer = call("GET", path)
    entries = answer["data"] if isinstance(answer, dict) else answer
    return entries[0]["id"] if entries else None


def made_things():
    """One thing of each kind, by the prefix of its id."""
    mail = {"from": SENDER, "to": f"user@{RECIPIENTS}", "subject": "Hello", "text": "Hello"}
    attachment = {"filename": "a.txt", "content": "aGVsbG8="}
    email = call("POST", "/emails", {**mail, "attachments": [attachment]})["id"]
    for _ in range(100):
        captured = first_id(f"/captured?email_id={email}")
        if captured:
            break
        time.sleep(0.1)
    webhook = call("POST", "/webhooks", {"url": "http://127.0.0.1:65000/", "events": ["*"]})["id"]
    replay = call("POST", f"/webhooks/{webhook}/replay", {"from": in_hours(-1)})["id"]
    return {
        "em": email,
        "att": first_id(f"/emails/{email}/attachments"),
        "evt": first_id(f"/emails/{email}/events"),
        "cap": captured,
        "wh": webhook,
        "rpl": replay,
        "key": call("POST", "/api-keys", {"name": "made for the run"})["id"],
        "sup": call("POST", "/suppressions", {"email": f"made@{SUPPRESSED}"})["id"],
        "ers": call("POST", "/erasures", {"email": f"erased@{SUPPRESSED}"})["id"],
        "log": first_id("/logs"),
        "dom": first_id("/domains"),
    }


def in_hours(hours):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)).isoformat()


PROTECTED = {entry["id"] for entry in call("GET", "/api-keys")["data"]}
THINGS = made_things()
TEST_EVENT = call("POST", f"/webhooks/{THINGS['wh']}/test")["id"]
PROTECTED.add(THINGS["dom"])
NUMBERS = itertools.count()
FORBIDDEN = {"__proto__", "constructor", "prototype"}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts real ids in the place of the examples, and what no schema states into valid requests."""
    for name, value in list((case.path_parameters or {}).items()):
        prefix, _, digits = str(value).partition("_")
        if value in PROTECTED and case.method.upper() != "GET":
            case.path_parameters[name] = f"{prefix}_{'0' * 32}"
        elif case.method.upper() != "DELETE" and THINGS.get(prefix) and (digits == EXAMPLE or is_even(digits)):
            case.path_parameters[name] = THINGS[prefix]
    # One key for all would make every mail but the first a conflict.
    if "Idempotency-Key" in (case.headers or {}) and zlib.crc32(repr(case.body).encode()) % 4:
        del case.headers["Idempotency-Key"]
    if case.meta is None or case.meta.generation.mode.is_positive:
        make_acceptable(case)
    elif isinstance(case.body, (dict, list)):
        # A copy, because the generator shares parts of bodies between cases. What no schema states is no fault of the case.
        case.body = within_limits(case.body)
        for body in case.body if isinstance(case.body, list) else [case.body]:
            if isinstance(body, dict) and is_even(repr(body)):
                make_acceptable_message(body)
        # Without the header, or with another body, the schema may allow the request after all.
        if case.meta.generation.mode.is_positive:
            make_acceptable(case)


def is_even(text):
    return zlib.crc32(text.encode()) % 2 == 0


def make_acceptable(case):
    make_acceptable_query(case)
    if case.path == "/suppressions/import":
        case.body = f"email,reason\r\nuser{next(NUMBERS)}@{SUPPRESSED},{csv_cell(case.body)}\r\n"
    elif isinstance(case.body, (dict, list)):
        case.body = within_limits(case.body)
        make_acceptable_body(case.path, case.body)


def csv_cell(text):
    printable = "".join(letter for letter in str(text) if letter.isprintable())[:100]
    return '"{}"'.format(printable.replace('"', '""'))


def make_acceptable_query(case):
    query = case.query or {}
    if "after" in query:
        query.pop("before", None)
    if case.path == "/events":
        for cursor in ("after", "before"):
            if query.get(cursor, "latest") != "latest":
                query[cursor] = THINGS["evt"]
    if case.path == "/webhooks/{id}/events":
        for cursor in query.keys() & {"after", "before"}:
            case.path_parameters["id"], query[cursor] = THINGS["wh"], TEST_EVENT
    if case.path.endswith("/stats"):
        make_acceptable_range(query)


def make_acceptable_range(query):
    """A few hours or days, because minutes of a longer range would be too many rows."""
    is_fine = query.get("granularity") in ("minute", "hour")
    if is_fine and "from" not in query:
        query.setdefault("start_date", "")
    is_date = not is_fine and is_even(repr(query))
    for name, alias, ago in (("start_date", "from", 2), ("end_date", "to", 1)):
        if name in query:
            query.pop(alias, None)
        for parameter in query.keys() & {name, alias}:
            query[parameter] = in_hours(-24 * ago)[:10] if is_date else in_hours(-ago)


def make_acceptable_body(path, body):
    for one in body if isinstance(body, list) else [body]:
        if path.startswith("/emails"):
            make_acceptable_message(one)
        elif path == "/domains":
            one["name"] = domain_name()
        else:
            make_acceptable_entry(one)


def make_acceptable_entry(entry):
    for field in entry.keys() & {"url", "endpoint"}:
        entry[field] = url()
    if entry.get("domain_ids"):
        entry["domain_ids"] = [THINGS["dom"]]
    if entry.get("domain_id"):
        entry["domain_id"] = THINGS["dom"]
    if entry.get("expires_at"):
        entry["expires_at"] = in_hours(1)
    if "from" in entry and "to" in entry:
        entry.update({"from": in_hours(-2), "to": in_hours(-1)})
    if "notify_addresses" in entry:
        entry["notify_addresses"] = [address for address in entry["notify_addresses"] if '"' not in address]
    for nested in entry.get("entries") or []:
        make_acceptable_entry(nested)


def make_acceptable_message(body):
    if "from" in body:
        body["from"] = SENDER
    for field in ("to", "cc", "bcc"):
        if field in body:
            one_or_many = body[field] if isinstance(body[field], list) else [body[field]]
            allowed = [address if is_recipient(address) else f"user{next(NUMBERS)}@{RECIPIENTS}" for address in one_or_many]
            body[field] = allowed if isinstance(body[field], list) else allowed[0]
    if "scheduled_at" in body:
        body["scheduled_at"] = in_hours(1)
    if "sandbox_result" in body:
        body["sandbox"] = True
    if isinstance(body.get("headers"), dict):
        # Only structured fields may be longer.
        body["headers"] = {
            f"X-{number}-{name}"[:76]: value[:2048] if isinstance(value, str) else value
            for number, (name, value) in enumerate(body["headers"].items())
        }
    if isinstance(body.get("list_unsubscribe"), dict) and "url" in body["list_unsubscribe"]:
        body["list_unsubscribe"]["url"] = url()
    if isinstance(body.get("tags"), list) and all(isinstance(tag, dict) for tag in body["tags"]):
        body["tags"] = list({str(tag.get("name")): tag for tag in body["tags"]}.values())
    if isinstance(body.get("attachments"), list):
        for number, attachment in enumerate(body["attachments"]):
            if isinstance(attachment, dict):
                make_acceptable_attachment(attachment, number)


def is_recipient(address):
    return str(address).rstrip(">").endswith(RECIPIENTS)


def make_acceptable_attachment(attachment, number):
    """A text file: the content must match the type, and nothing is fetched from outside."""
    attachment.pop("path", None)
    text = "".join(letter for letter in str(attachment.get("content")) if letter.isalnum())[:1000]
    attachment["content"] = base64.b64encode(text.encode()).decode()
    attachment["filename"] = "".join(letter for letter in str(attachment.get("filename")) if letter.isalnum())[:50] + "_.txt"
    if "content_type" in attachment:
        attachment["content_type"] = "text/plain"
    if "content_id" in attachment:
        attachment["content_id"] = f"part-{number}"


def within_limits(value):
    """U+0000, long names and those of prototypes are refused in unknown fields too, which no schema describes."""
    if isinstance(value, str):
        return value.replace("\0", "0")
    if isinstance(value, list):
        return [within_limits(item) for item in value]
    if isinstance(value, dict):
        return {within_limits(name)[:20]: within_limits(item) for name, item in value.items() if name not in FORBIDDEN}
    return value
