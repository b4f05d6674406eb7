"""Sends an email over REST, repeats the request with the same idempotency key, and waits for its outcome.

    POSTLOFT_API_KEY=pl_live_… python3 send_rest.py shop@sandbox.postloft.test you@example.com

It needs Python 3.9 or newer and no package.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("POSTLOFT_URL", "http://localhost:3000")
KEY = os.environ["POSTLOFT_API_KEY"]


def call(path, body=None, headers=None):
    request = urllib.request.Request(
        URL + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {KEY}", "content-type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        # `details` names each field that is wrong.
        raise SystemExit(f"{error.code} {problem['message']} {problem['details']}")


sender, recipient = sys.argv[1:3]
email = {"from": sender, "to": recipient, "subject": "Order 4711", "text": "Thank you.", "tags": {"kind": "order"}}
# A request that is repeated with its key, after a time-out for example, sends nothing twice.
once = {"idempotency-key": f"order-4711-{time.time_ns()}"}
sent = call("/emails", email, once)
if call("/emails", email, once)["id"] != sent["id"]:
    raise SystemExit("the email was sent twice")

for _ in range(100):
    status = call(f"/emails/{sent['id']}")["status"]
    if status not in ("queued", "sending", "deferred"):
        break
    time.sleep(0.2)
print(sent["id"], status)
