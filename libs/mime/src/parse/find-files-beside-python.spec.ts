import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askPython, hasPython } from '../../../../test/support/judges/python.js';
import { findFiles } from './find-files.js';

const MESSAGES = 1_500;
const from = fc.constantFrom;
const joined = (...pieces: fc.Arbitrary<string>[]) => fc.tuple(...pieces).map((texts) => texts.join(''));
const many = (piece: fc.Arbitrary<string>, maxLength: number, between = '') =>
  fc.array(piece, { maxLength }).map((texts) => texts.join(between));

const parameter = from(
  ...['filename=a.exe', 'filename="b b.exe"', "filename*=utf-8''d.exe", "filename*=us-ascii'en'e%2Eexe", 'filename'],
  ...['filename*0=f.;\r\n filename*1=exe', "filename*0*=utf-8''g;\r\n filename*1*=%2Eexe", 'filename = i.exe', ';'],
  ...['filename="=?utf-8?Q?h=2Eexe?="', 'filename="l;m.exe"', 'filename=n.exe (c)', '(c) filename=o.exe', 'x=y'],
  ...[
    'filename="k\\".exe"',
    'filename=q r.exe',
    'filename*1=s.exe',
    'filename="u.exe',
    'filename=v"w.exe',
    'filename=',
  ],
);
const disposition = joined(
  from('Content-Disposition:', 'content-disposition: ', 'Content-Disposition : ', 'Content-Disposition:\r\n '),
  from('attachment', 'inline', 'ATTACHMENT', 'attachment (x)', '(y)attachment', 'form-data', '', '"attachment"'),
  many(joined(from(';', '; ', ' ;\r\n\t'), parameter), 3),
);
const type = joined(
  from('Content-Type: ', 'content-type:', 'Content-Type :'),
  from(
    ...['text/plain', 'application/pdf', 'message/rfc822', 'x', 'multipart/mixed; boundary=q', 'multipart/mixed'],
    ...[
      'MULTIPART/Alternative; boundary="q"',
      'multipart/mixed; BOUNDARY = q',
      'multipart/mixed;boundary=q; boundary=z',
    ],
    ...['multipart / mixed; boundary=q', '(c) multipart/mixed; boundary=q', "multipart/mixed; boundary*=utf-8''q"],
  ),
  from('', '', '; name=za.exe', "; name*=utf-8''zb.exe", '; charset=utf-8; name="zc.exe"'),
);
const encoding = from('7bit', '8bit', 'base64', '"base64"', 'x-uue').map(
  (name) => `Content-Transfer-Encoding: ${name}`,
);
const head = many(
  fc.oneof(type, disposition, encoding, from('junk', 'Subject: z')).map((field) => `${field}\r\n`),
  4,
);
const { part } = fc.letrec<{ part: string }>((tie) => ({
  part: joined(
    head,
    fc.constant('\r\n'),
    fc.oneof(
      { maxDepth: 3 },
      fc.constant('body'),
      joined(
        many(joined(from('--q\r\n', '--q \r\n', '--qx\r\n', '--z\r\n', '--q--\r\n'), tie('part')), 3, '\r\n'),
        from('\r\n--q--\r\n'),
      ),
    ),
  ),
}));

describe.skipIf(!hasPython())('findFiles beside Python’s email', () => {
  it(`finds every file that Python finds, under its name, in ${MESSAGES} malformed messages`, () => {
    // The default seed once found a fault; SEED sets another.
    const seed = Number(process.env['SEED'] ?? 626_150);
    const messages = fc
      .sample(part, { numRuns: MESSAGES, seed })
      .map((text) => Buffer.from(`From: a@ex.com\r\n${text}\r\n`));
    const readings = filesByPython(messages);
    let judged = 0;
    messages.forEach((message, i) => {
      const found = findFiles(message);
      if ('problem' in found) return;
      judged += 1;
      const names = new Set(found.flatMap((file) => file.names.map(plain)));
      for (const reading of readings[i]) {
        const about = `seed ${seed}, ${JSON.stringify(reading)}:\n${message.toString()}`;
        expect(reading.count, about).toBeLessThanOrEqual(found.length);
        for (const name of reading.names) if (name.includes('exe')) expect(names, about).toContain(plain(name));
      }
    });
    expect(judged).toBeGreaterThan(MESSAGES / 4);
  });
});

/** Readers differ in the treatment of spaces, which do not change the type of a file. */
const plain = (name: string): string => name.replace(/\s/g, '');

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
function filesByPython(messages: readonly Buffer[]): { names: string[]; count: number }[][] {
  const found = askPython(PROGRAM, messages) as [string[], number][][];
  return found.map((kinds) => kinds.map(([names, count]) => ({ names, count })));
}
