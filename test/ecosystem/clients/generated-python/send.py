"""Sends an e-mail with the client that openapi-python-client generates from openapi.json, and reads it again.

The argument is the folder that holds the package `postloft`. Prints the id and the subject of the e-mail.
"""

import json
import os
import sys

sys.path.insert(0, sys.argv[1])
from postloft.api.emails import emails_find, emails_send
from postloft.client import AuthenticatedClient
from postloft.models import EmailCreated, EmailDto, SendEmailDto

client = AuthenticatedClient(base_url=os.environ["POSTLOFT_URL"], token=os.environ["POSTLOFT_KEY"])
mail = SendEmailDto(
    from_=os.environ["POSTLOFT_SENDER"], to=["ada@example.net"], subject="Your order", text="Thank you."
)
sent = emails_send.sync(client=client, body=mail)
assert isinstance(sent, EmailCreated), sent
found = emails_find.sync(sent.id, client=client)
assert isinstance(found, EmailDto), found
print(json.dumps({"id": found.id, "subject": found.subject}))
