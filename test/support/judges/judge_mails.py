"""What Python's email package, dkimpy and pyspf say of messages. Reads one JSON job, writes one JSON verdict."""

import base64
import email.policy
import hashlib
import json
import re
import sys
from email import message_from_bytes
from email.header import decode_header, make_header

import dkim

SINGLETONS = (
    'from sender reply-to to cc subject date message-id in-reply-to references mime-version content-type '
    'content-transfer-encoding list-unsubscribe list-unsubscribe-post feedback-id x-postloft-ref'
).split()


def names(header):
    return [address.display_name for address in header.addresses] if header is not None else []


def decoded_field(raw, name):
    """By email.header: the parser of addresses keeps the space between two encoded words (before Python 3.13)."""
    unfolded = (message_from_bytes(raw)[name] or '').replace('\r\n', '')
    return str(make_header(decode_header(unfolded)))


def defects_of(part):
    found = [type(defect).__name__ for defect in part.defects]
    for name, value in part.items():
        found += [f'{name}: {defect!r}' for defect in getattr(value, 'defects', []) if not for_old_readers(name, defect)]
    return found


def for_old_readers(name, defect):
    """The second spelling of a file's name, for readers without RFC 2231; RFC 2047 has no room for it."""
    return name.lower() == 'content-type' and re.search('encoded.word', str(defect)) is not None


def text_of(part):
    try:
        return part.get_content()
    except (KeyError, LookupError, UnicodeError) as error:
        return f'!! {error!r}'


def payload_hash(part):
    return hashlib.sha256(part.get_payload(decode=True) or b'').hexdigest()


def read(raw):
    message = message_from_bytes(raw, policy=email.policy.SMTP)
    parts = list(message.walk())
    lines = raw.split(b'\r\n')
    counts = {name: len(message.get_all(name, [])) for name in SINGLETONS}
    texts = [part for part in parts if part.get_content_type() == 'text/plain' and not part.get_filename()]
    htmls = [part for part in parts if part.get_content_type() == 'text/html' and not part.get_filename()]
    return {
        'structure': [part.get_content_type() for part in parts],
        'defects': [defect for part in parts for defect in defects_of(part)],
        'subject': str(message['subject']) if message['subject'] is not None else None,
        'fromNames': names(message['from']),
        'fromField': decoded_field(raw, 'from'),
        'toNames': names(message['to']),
        'ccNames': names(message['cc']),
        'replyToNames': names(message['reply-to']),
        'text': text_of(texts[0]) if texts else None,
        'html': text_of(htmls[0]) if htmls else None,
        'files': [{'filename': part.get_filename(), 'sha256': payload_hash(part)} for part in parts if part.get_filename()],
        'headers': [[name, str(value)] for name, value in message.items()],
        'counts': counts,
        'date': message['date'].datetime.isoformat() if message['date'] is not None else None,
        'longest': max(len(line) for line in lines),
        'bareEnds': raw.replace(b'\r\n', b'').count(b'\r') + raw.replace(b'\r\n', b'').count(b'\n'),
        'eightBit': any(octet > 127 for octet in raw),
        'endsWithCrlf': raw.endswith(b'\r\n'),
        'body': base64.b64encode(raw.split(b'\r\n\r\n', 1)[1]).decode(),
    }


def dkim_verdicts(raw, records):
    answers = {name.encode() + b'.': value.encode() for name, value in records.items()}
    count = sum(1 for name, _ in dkim.DKIM(raw).headers if name.lower() == b'dkim-signature')
    found = []
    for index in range(count):
        try:
            found.append(bool(dkim.DKIM(raw).verify(idx=index, dnsfunc=lambda name, timeout=5: answers.get(name))))
        except dkim.DKIMException:
            found.append(False)
    return found


def spf_verdict(question, zone):
    import spf

    def lookup(name, qtype, tcpfallback=True, timeout=30):
        texts = zone.get(name.rstrip('.').lower(), []) if qtype == 'TXT' else []
        return [((name, 'TXT'), (text.encode(),)) for text in texts]

    spf.DNSLookup = lookup
    return spf.check2(i=question['ip'], s=question['sender'], h=question['helo'])[0]


def main():
    job = json.load(sys.stdin)
    decode = base64.b64decode
    verdict = {
        'mails': [read(decode(text)) for text in job.get('mails', [])],
        'dkim': [dkim_verdicts(decode(text), job['records']) for text in job.get('signed', [])],
        'spf': [spf_verdict(question, job['zone']) for question in job.get('spf', [])],
    }
    json.dump(verdict, sys.stdout)


main()
