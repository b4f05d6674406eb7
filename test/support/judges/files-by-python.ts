import { execFileSync } from 'node:child_process';

const PROGRAM = `
import base64, json, sys
from email import message_from_bytes, policy
from email.header import decode_header

def decoded(name):
    pieces = decode_header(name.replace('\\r\\n', ''))
    return ''.join(p.decode(c or 'utf-8', 'replace') if isinstance(p, bytes) else p for p, c in pieces)

def asked(question):
    try:
        return question()
    except Exception:  # some broken parameters break its parser too
        return None

def files(message):
    found = [(asked(part.get_filename), asked(part.get_content_disposition))
             for part in message.walk() if not part.is_multipart()]
    return [[decoded(name) for name, _ in found if name], sum(1 for name, kind in found if name or kind == 'attachment')]

print(json.dumps([[files(message_from_bytes(base64.b64decode(raw), policy=kind)) for kind in (policy.compat32, policy.default)]
                  for raw in json.load(sys.stdin)]))
`;

/** What Python's `email` takes for files in each message: by its parser of old, and by the one of today. */
export function filesByPython(messages: readonly Buffer[]): { names: string[]; count: number }[][] {
  const input = JSON.stringify(messages.map((message) => message.toString('base64')));
  const output = execFileSync('python3', ['-c', PROGRAM], { input, maxBuffer: 256 * 1024 * 1024 });
  const found = JSON.parse(output.toString()) as [string[], number][][];
  return found.map((kinds) => kinds.map(([names, count]) => ({ names, count })));
}
