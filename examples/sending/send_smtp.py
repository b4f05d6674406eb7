"""Sends an email over SMTP.

    POSTLOFT_API_KEY=pl_live_… python3 send_smtp.py shop@sandbox.postloft.test you@example.com
"""
import os
import smtplib
import ssl
import sys
from email.message import EmailMessage

sender, recipient = sys.argv[1:3]
message = EmailMessage()
message["From"] = sender
message["To"] = recipient
message["Subject"] = "Order 4711"
message["X-Service-Tag-Kind"] = "order"
message.set_content("Thank you.")
message.add_alternative("<p>Thank you.</p>", subtype="html")

context = ssl.create_default_context()
if os.environ.get("POSTLOFT_SELF_SIGNED") == "1":
    # The certificate that the service makes for itself is not known to clients.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
with smtplib.SMTP(
    os.environ.get("POSTLOFT_SMTP_HOST", "localhost"), int(os.environ.get("POSTLOFT_SMTP_PORT", "2587")), timeout=30
) as server:
    server.starttls(context=context)
    # The user is an address at a domain of the account; the password is an API key.
    server.login(sender, os.environ["POSTLOFT_API_KEY"])
    refused = server.send_message(message)
print("refused:", refused)
