import { askPython } from '../../support/judges/python.js';

/** A message as Python's `email` reads it, whatever client composed it. */
export interface ArrivedMail {
  /** Decoded; raw UTF-8 is taken as such. */
  subject: string;
  fromName: string;
  fromAddress: string;
  /** Of the first plain part without a name. */
  text: string;
  files: { filename: string; type: string; sha256: string }[];
  /** Lower-case names of the header fields, in order. */
  fields: string[];
}

const PROGRAM = `
import base64, hashlib, json, sys
from email import message_from_bytes, policy
from email.header import decode_header
from email.utils import collapse_rfc2231_value, parseaddr

class Raw(policy.Compat32):
    def header_fetch_parse(self, name, value):
        return value.encode('utf-8', 'surrogateescape').decode('utf-8')

def decoded(value):
    pieces = decode_header((value or '').replace('\\r\\n', '').replace('\\n', ''))
    return ''.join(piece.decode(charset or 'utf-8') if isinstance(piece, bytes) else piece for piece, charset in pieces)

def filename(part):
    raw = part.get_param('filename', None, 'content-disposition') or part.get_param('name')
    return '' if raw is None else decoded(collapse_rfc2231_value(raw))

result = []
for encoded in json.load(sys.stdin):
    message = message_from_bytes(base64.b64decode(encoded), policy=Raw())
    leaves = [part for part in message.walk() if not part.is_multipart()]
    texts = [part for part in leaves if part.get_content_type() == 'text/plain' and not filename(part)]
    name, address = parseaddr(message['from'].replace('\\r\\n', ''))
    result.append({
        'subject': decoded(message['subject']),
        'fromName': decoded(name),
        'fromAddress': address,
        'text': texts[0].get_payload(decode=True).decode(texts[0].get_content_charset() or 'utf-8') if texts else '',
        'files': [{'filename': filename(part), 'type': part.get_content_type(),
                   'sha256': hashlib.sha256(part.get_payload(decode=True)).hexdigest()}
                  for part in leaves if filename(part)],
        'fields': [key.lower() for key in message.keys()],
    })
json.dump(result, sys.stdout)
`;

/** Reads messages with a program that is not ours. */
export const readArrived = (messages: readonly Buffer[]): ArrivedMail[] =>
  askPython(PROGRAM, messages) as ArrivedMail[];
