"""Mail servers that misbehave, one per loopback address, all on one port.

Reads one line of JSON from standard input: {"port": 0, "spool": dir or null, "hosts": {address: host}}; ends when
standard input ends. Prints one line of JSON per event, first {"event": "ready", "port": n}. What is about to be answered
is printed before the answer is sent, so whoever reads the answer can also read the line:

  open, close        one connection begins, ends
  command            "line"
  dot                "sha256" of the un-stuffed mail, "bytes", "recipients", "sender" with its parameters, "file", "eight_bit"

A host is {"kind": "scripted", …moment: step} (default), {"kind": "honest", …} (aiosmtpd) or {"kind": "deaf"}, which
never completes a TCP handshake. See `Scripted` and `honest` for what they take.
"""

import asyncio
import hashlib
import json
import logging
import os
import socket
import ssl
import struct
import sys
import time

from aiosmtpd.smtp import SMTP

PIECE = 64 * 1024
# A client that breaks off is what is played here: aiosmtpd's traces of it would drown what a test run has to say.
logging.getLogger("mail.log").setLevel(logging.CRITICAL + 1)


class Journal:
    """Standard output as a list of events, and a folder of mails."""

    def __init__(self, spool):
        self.spool = spool
        self.connections = 0

    def tell(self, event, **fields):
        sys.stdout.write(json.dumps({"at": time.monotonic(), "event": event, **fields}) + "\n")
        sys.stdout.flush()

    def next_connection(self):
        self.connections += 1
        return self.connections

    def dot(self, where, sender, recipients, content):
        digest = hashlib.sha256(content).hexdigest()
        file = None
        if self.spool:
            file = os.path.join(self.spool, digest + ".eml")
            with open(file, "wb") as out:
                out.write(content)
        self.tell(
            "dot", **where, sha256=digest, bytes=len(content), recipients=recipients, sender=sender, file=file,
            eight_bit=not content.isascii(),
        )


def reset_on_close(transport):
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def tls_context(files):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files["cert"], files["key"])
    return context


class Gone(Exception):
    """The connection is over, by whoever's doing."""


class Scripted:
    """One connection to a scripted host.

    A host maps moments (banner, ehlo, helo, starttls, mail, rcpt, data, content, dot, rset, idle) to steps; a moment
    without one is answered as an ordinary server would. A step is a reply ("550 no", lines divided by CRLF), or
      {"reply": text, "then": "fin" | "rst"}    {"cut": "fin" | "rst"}    {"silence": true}
      {"drip": text, "every": seconds}          {"flood": piece, "bytes": n}      {"slow": octets per second} (content)
      {"inject": text, "tls": …} (starttls: 220 and this in one segment, then TLS, or bytes that are none)
      {"hang": true} (starttls: 220, then no handshake)
      {"times": [step or null, …]}  one each time the moment comes to this host, then the ordinary answer
      {"by": {local part: step}}    for rcpt; {"after": n, "step": step}: for rcpt, once n were accepted
    "extensions": EHLO keywords; "pace": "bulk" answers a pipelined group in one write, "single" in one packet each.
    """

    def __init__(self, address, host, counts, journal):
        self.address, self.host, self.counts, self.journal = address, host, counts, journal
        self.held = b""
        self.sender, self.recipients = "", []

    async def serve(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.where = {"host": self.address, "connection": self.journal.next_connection()}
        self.journal.tell("open", **self.where, peer=writer.get_extra_info("peername")[0])
        try:
            await self.do("banner", "220 bad.test ESMTP")
            while True:
                await self.command()
        except (Gone, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            self.journal.tell("close", **self.where)
            writer.transport.abort()

    async def command(self):
        if self.held and not self.reader._buffer:
            await self.flush()
        line = (await self.reader.readuntil(b"\n")).decode("utf-8", "replace").rstrip("\r\n")
        self.journal.tell("command", **self.where, line=line)
        verb = line.split(" ")[0].split(":")[0].upper()
        handler = getattr(self, "on_" + verb.lower(), None)
        await (handler(line) if handler else self.say("500 5.5.1 what?"))

    async def on_ehlo(self, line):
        keywords = self.host.get("extensions", ["PIPELINING", "SIZE 20000000", "8BITMIME", "SMTPUTF8"])
        lines = ["bad.test", *keywords]
        await self.do("ehlo", "\r\n".join("250" + ("-" if i < len(lines) - 1 else " ") + k for i, k in enumerate(lines)))

    async def on_helo(self, line):
        await self.do("helo", "250 bad.test")

    async def on_starttls(self, line):
        await self.do("starttls", "454 4.7.0 not now")

    async def on_mail(self, line):
        self.sender, self.recipients = line[10:], []
        await self.do("mail", "250 2.1.0 fine")

    async def on_rcpt(self, line):
        address = line[line.index("<") + 1 : line.rindex(">")]
        if await self.do("rcpt", "250 2.1.5 fine", local=address.rsplit("@", 1)[0]):
            self.recipients.append(address)

    async def on_data(self, line):
        if not await self.do("data", "354 go on" if self.recipients else "554 5.5.1 nobody to send to"):
            return
        await self.flush()
        content = await self.content()
        self.journal.dot(self.where, self.sender, self.recipients, content)
        await self.do("dot", "250 2.0.0 taken")
        self.recipients = []
        await self.do("idle", None)

    async def on_rset(self, line):
        self.sender, self.recipients = "", []
        await self.do("rset", "250 2.0.0 fine")

    async def on_quit(self, line):
        await self.say("221 2.0.0 bye")
        await self.flush()
        raise Gone

    async def content(self):
        step = self.step("content")
        if isinstance(step, dict) and "cut" in step:
            await self.reader.read(1)
            await self.perform(step)
        if isinstance(step, dict) and "slow" in step:
            for _ in range(60 * step["slow"]):
                await self.reader.readexactly(1)
                await asyncio.sleep(1 / step["slow"])
            raise Gone
        lines = []
        while True:
            line = await self.reader.readuntil(b"\r\n")
            if line == b".\r\n":
                return b"".join(lines)
            lines.append(line[1:] if line.startswith(b".") else line)

    def step(self, moment, local=None):
        step = self.host.get(moment)
        if isinstance(step, dict) and "times" in step:
            seen = self.counts[moment] = self.counts.get(moment, 0) + 1
            step = step["times"][seen - 1] if seen <= len(step["times"]) else None
        if isinstance(step, dict) and "by" in step:
            step = step["by"].get(local)
        if isinstance(step, dict) and "after" in step:
            step = step["step"] if len(self.recipients) >= step["after"] else None
        return step

    async def do(self, moment, ordinary, local=None):
        """Takes the step of this moment; true when it was answered with 2xx or 3xx."""
        step = self.step(moment, local) or ordinary
        if step is None:
            return True
        if isinstance(step, str):
            await self.say(step)
            return step[:1] in "23"
        await self.perform(step)
        return False

    async def perform(self, step):
        if "reply" in step:
            await self.say(step["reply"])
        await self.flush()
        if "silence" in step:
            while await self.reader.read(PIECE):
                pass
            raise Gone
        if "drip" in step:
            for octet in step["drip"].encode():
                self.writer.write(bytes([octet]))
                await self.writer.drain()
                await asyncio.sleep(step["every"])
        if "flood" in step:
            await self.flood(step["flood"].encode(), step["bytes"])
        if "inject" in step or "hang" in step:
            self.writer.write(b"220 2.0.0 go on\r\n" + step.get("inject", "").encode())
            if "tls" in step:
                await self.writer.start_tls(tls_context(step["tls"]))
            else:
                await self.perform({"silence": True} if "hang" in step else {"drip": "no TLS here\r\n" * 3, "every": 0})
        cut = step.get("cut", step.get("then"))
        if cut:
            if cut == "rst":
                reset_on_close(self.writer.transport)
            else:
                self.writer.write_eof()
                await asyncio.sleep(0.05)
            raise Gone

    async def flood(self, piece, count):
        block = piece * max(1, PIECE // len(piece))
        sent = 0
        while sent < count:
            self.writer.write(block)
            await self.writer.drain()
            sent += len(block)
        self.journal.tell("flooded", **self.where, bytes=sent)

    async def say(self, text):
        self.held += text.encode() + b"\r\n"
        pace = self.host.get("pace")
        if pace == "bulk":
            return
        await self.flush()
        if pace == "single":
            await asyncio.sleep(0.02)

    async def flush(self):
        if self.held:
            self.writer.write(self.held)
            self.held = b""
            await self.writer.drain()


def honest(address, host, journal):
    """A server by aiosmtpd: {"size": n, "without": [keywords], "only_helo": true, "tls": {"cert": file, "key": file}}."""

    class Server(SMTP):
        def connection_made(self, transport):
            # STARTTLS makes a second transport for the same connection.
            if not hasattr(self, "where"):
                self.where = {"host": address, "connection": journal.next_connection()}
                journal.tell("open", **self.where, peer=transport.get_extra_info("peername")[0])
            super().connection_made(transport)

        def connection_lost(self, error):
            journal.tell("close", **self.where)
            super().connection_lost(error)

        async def smtp_EHLO(self, hostname):
            journal.tell("command", **self.where, line="EHLO " + (hostname or ""), tls=self._tls_protocol is not None)
            if host.get("only_helo"):
                await self.push("502 5.5.1 EHLO is not known here")
            else:
                await super().smtp_EHLO(hostname)

        async def smtp_HELO(self, hostname):
            journal.tell("command", **self.where, line="HELO " + (hostname or ""))
            await super().smtp_HELO(hostname)

        async def smtp_MAIL(self, argument):
            journal.tell("command", **self.where, line="MAIL " + (argument or ""))
            await super().smtp_MAIL(argument)

        async def smtp_DATA(self, argument):
            journal.tell("command", **self.where, line="DATA")
            await super().smtp_DATA(argument)

    class Handler:
        async def handle_EHLO(self, server, session, envelope, hostname, responses):
            session.host_name = hostname
            left_out = host.get("without", [])
            kept = [line for line in responses if not any(word in line for word in left_out)]
            kept[-1] = kept[-1][:3] + " " + kept[-1][4:]
            return kept

        async def handle_DATA(self, server, session, envelope):
            sender = " ".join(["<%s>" % envelope.mail_from, *envelope.mail_options])
            journal.dot(server.where, sender, envelope.rcpt_tos, envelope.original_content)
            return "250 2.0.0 taken"

    context = tls_context(host["tls"]) if "tls" in host else None

    def make():
        options = {"data_size_limit": host.get("size", 20_000_000), "ident": "honest", "hostname": "honest.test"}
        return Server(Handler(), enable_SMTPUTF8=host.get("utf8", False), tls_context=context, **options)

    return make


def listener(address, port, backlog=100, small=False):
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if small:
        # What the kernel takes on behalf of a slow reader has left the sender's hands.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    sock.bind((address, port))
    sock.listen(backlog)
    sock.setblocking(False)
    return sock


def deaf(address, port):
    """A listener whose queue is full: the kernel drops every further SYN."""
    sockets = [listener(address, port, 0)]
    for _ in range(4):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(sockets[0].getsockname())
        sockets.append(filler)
    return sockets


async def main():
    config = json.loads(sys.stdin.readline())
    journal = Journal(config.get("spool"))
    port, kept = config.get("port", 0), []
    loop = asyncio.get_running_loop()
    for address, host in config["hosts"].items():
        kind = host.get("kind", "scripted")
        if kind == "deaf":
            kept += deaf(address, port)
            continue
        sock = listener(address, port, small="content" in host)
        port = sock.getsockname()[1]
        if kind == "honest":
            kept.append(await loop.create_server(honest(address, host, journal), sock=sock))
            continue
        counts = {}

        def serve(reader, writer, address=address, host=host, counts=counts):
            return Scripted(address, host, counts, journal).serve(reader, writer)

        kept.append(await asyncio.start_server(serve, sock=sock))
    journal.tell("ready", port=port)
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
