"""Strategies for the formats of openapi.json: values that the service accepts, of every kind that it accepts."""

import ipaddress
import string

import schemathesis
from hypothesis import strategies as st

# Recipients and suppressed addresses have different domains, so that no message is refused because of another request.
RECIPIENTS = "recipients.example"
SUPPRESSED = "suppressed.example"
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Apia", "Etc/GMT+12"]

letters = st.characters(categories=["Lu", "Ll", "Lo", "Nd"], codec="utf-8")
ascii_letters = string.ascii_letters + string.digits
atoms = st.text(st.sampled_from(ascii_letters + "!#$%&'*+-/=?^_`{|}~"), min_size=1, max_size=20)
local_parts = st.lists(atoms, min_size=1, max_size=3).map(".".join)
quoted_parts = st.text(st.sampled_from(ascii_letters + " ().,:;<>[]"), min_size=1, max_size=20).map('"{}"'.format)
international_parts = st.text(st.sampled_from("äöüßéøñčžабвгд日本語"), min_size=1, max_size=20)
all_parts = local_parts | quoted_parts | international_parts
labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True).filter(lambda label: label[2:4] != "--")
names = st.text(letters | st.just(" "), min_size=1, max_size=40)


def addresses(parts, domain):
    return st.tuples(parts, st.one_of(st.just(domain), labels.map(lambda label: f"{label}.{domain}"))).map("@".join)


recipients = addresses(all_parts, RECIPIENTS)
mailboxes = st.one_of(
    recipients,
    st.tuples(names, recipients).map(lambda both: f"{both[0]} <{both[1]}>"),
    st.tuples(names, recipients).map(lambda both: f'"{both[0]}, (Ltd.)" <{both[1]}>'),
)
host_names = st.lists(labels, min_size=1, max_size=3).map(lambda parts: ".".join([*parts, "example.org"]))
international_names = st.sampled_from(["bücher", "例え", "Кириллица", "straße"]).map("{}.example.org".format)
uri_characters = st.text(st.sampled_from(ascii_letters + "-._~!$&'()*+=:/?%25"), max_size=60)
urls = st.tuples(host_names, st.sampled_from(["", ":443", ":8443", ":65535"]), uri_characters).map(
    lambda parts: f"https://{parts[0]}{parts[1]}/{parts[2].replace('%', '%25')}"
)
networks = st.one_of(
    st.tuples(st.ip_addresses(v=4), st.integers(0, 32)),
    st.tuples(st.ip_addresses(v=6), st.integers(0, 128)),
).map(lambda parts: str(ipaddress.ip_network(parts, strict=False)))

schemathesis.openapi.format("mailbox", mailboxes)
schemathesis.openapi.format("idn-email", addresses(all_parts, SUPPRESSED))
schemathesis.openapi.format("mailto", st.tuples(st.sampled_from(["", "mailto:"]), addresses(local_parts.filter(lambda part: "?" not in part), RECIPIENTS)).map("".join))
schemathesis.openapi.format("idn-hostname", host_names | international_names)
schemathesis.openapi.format("uri", urls)
schemathesis.openapi.format("ip-network", networks)
schemathesis.openapi.format("time-zone", st.sampled_from(ZONES))
