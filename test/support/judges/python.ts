import { execFileSync, spawnSync } from 'node:child_process';

/** Debian's packages belong to its own Python; another one may come first on PATH. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

/**
 * A Python that has these modules, or null where there is none. With POSTLOFT_REQUIRE_ENGINES=1 there must be one.
 *
 * @throws when one is required and none is there.
 */
export function pythonWith(...modules: string[]): string | null {
  const program = `import ${modules.join(', ')}`;
  const found = CANDIDATES.find((candidate) => spawnSync(candidate, ['-c', program]).status === 0);
  if (found !== undefined) return found;
  if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(`no Python has ${modules.join(', ')}`);
  return null;
}

export const hasPython = (): boolean => spawnSync('python3', ['--version']).status === 0;

/** What a program prints as JSON that reads messages, in Base64, as a list from its standard input. */
export function askPython(program: string, messages: readonly Buffer[]): unknown {
  const input = JSON.stringify(messages.map((message) => message.toString('base64')));
  return JSON.parse(execFileSync('python3', ['-c', program], { input, maxBuffer: 256 * 1024 * 1024 }).toString());
}

/** A message as the reader of Python's standard library sees it. */
export interface ReadMessage {
  /** Names as written, values unfolded and decoded. */
  headers: [name: string, value: string][];
  files: { filename: string | null; type: string; contentId: string | null }[];
}

const PROGRAM = `
import base64, json, sys
from email import message_from_bytes
from email.header import decode_header, make_header
from email.utils import collapse_rfc2231_value

def text(value):
    unfolded = str(value).replace('\\r\\n', '').replace('\\n', '')
    return str(make_header(decode_header(unfolded)))

def filename(part):
    name = part.get_param('filename', header='content-disposition')
    return None if name is None else text(collapse_rfc2231_value(name))

result = []
for encoded in json.load(sys.stdin):
    message = message_from_bytes(base64.b64decode(encoded))
    result.append({
        'headers': [[name, text(value)] for name, value in message.items()],
        'files': [{'filename': filename(part), 'type': part.get_content_type(), 'contentId': part.get('content-id')}
                  for part in message.walk() if part.get_content_disposition()],
    })
json.dump(result, sys.stdout)
`;

/** Reads messages with a program that is not ours and that many receivers use. */
export const readByPython = (messages: readonly Buffer[]): ReadMessage[] =>
  askPython(PROGRAM, messages) as ReadMessage[];
