"""Values of the formats of openapi.json that the service accepts, of every kind that it accepts.

They are made once: a body may have hundreds of addresses, and a strategy for each character of each takes minutes.
"""

import ipaddress
import random
import string

import schemathesis
from hypothesis import strategies as st

# Recipients and suppressed addresses have different domains, so that no message is refused because of another request.
RECIPIENTS = "recipients.example"
SUPPRESSED = "suppressed.example"
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Apia", "Etc/GMT+12"]
COUNT = 500

ALPHANUMERIC = string.ascii_letters + string.digits
ATOM = ALPHANUMERIC + "!#$%&'*+-/=^_`{|}~"
OTHER = "äöüßéøñčžабвгд日本語"
dice = random.Random(1)


def text(alphabet, longest=20):
    return "".join(dice.choices(alphabet, k=dice.randint(1, longest)))


def label():
    return dice.choice(string.ascii_lowercase) + text(string.ascii_lowercase + string.digits, 19)


def local_part():
    return ".".join(text(ATOM) for _ in range(dice.randint(1, 3)))


def any_local_part():
    return dice.choice([local_part, lambda: text(OTHER), lambda: f'"{text(ALPHANUMERIC + " ().,:;<>[]")}x"'])()


def address(local, domain):
    return f"{local}@{dice.choice([domain, f'{label()}.{domain}'])}"


def mailbox():
    name = f"{text(ALPHANUMERIC + OTHER + ' ', 40)}x"
    recipient = address(any_local_part(), RECIPIENTS)
    return dice.choice([recipient, f"{name} <{recipient}>", f'"{name}, (Ltd.)" <{recipient}>'])


def url():
    host = ".".join([label(), "example.org"])
    path = text(ALPHANUMERIC + "-._~!$&'()*+=:/?", 60)
    return f"https://{host}{dice.choice(['', ':443', ':8443', ':65535'])}/{path}{dice.choice(['', '%2F', '?a=%25'])}"


def network():
    version, bits = dice.choice([(4, 32), (6, 128)])
    start = ipaddress.IPv4Address(dice.getrandbits(32)) if version == 4 else ipaddress.IPv6Address(dice.getrandbits(128))
    return str(ipaddress.ip_network((start, dice.randint(0, bits)), strict=False))


VALUES = {
    "idn-email": lambda: address(any_local_part(), SUPPRESSED),
    "ip-network": network,
    "mailbox": mailbox,
    "mailto": lambda: dice.choice(["", "mailto:"]) + address(local_part(), RECIPIENTS),
    "time-zone": lambda: dice.choice(ZONES),
}
for name, make in VALUES.items():
    schemathesis.openapi.format(name, st.sampled_from([make() for _ in range(COUNT)]))


def domain_name():
    """A name that nobody else has, in some cases an internationalised one."""
    return f"{dice.choice(['', 'bücher.', '例え.', 'Straße.'])}{label()}.example.org{dice.choice(['', '.'])}"
