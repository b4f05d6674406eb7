import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { composeMessage } from '../compose/compose-message.js';
import type { DkimKey } from './dkim-keys.js';
import { dkimRecordValue, generateDkimKeys } from './dkim-keys.js';
import { signDkim } from './sign-dkim.js';

/*
 * Signatures are verified by dkimpy (Python) and mailauth. Only dkimpy can prove the oversigning, because it reads the fields
 * of h= as they are.
 */

const PYTHON_JUDGE = `
import sys, json, base64, dkim
job = json.load(sys.stdin)
records = {name.encode() + b'.': value.encode() for name, value in job['records'].items()}
verdicts = []
for text in job['messages']:
    message = base64.b64decode(text)
    judge = dkim.DKIM(message)
    count = sum(1 for name, _ in judge.headers if name.lower() == b'dkim-signature')
    found = []
    for index in range(count):
        try:
            found.append(bool(dkim.DKIM(message).verify(idx=index, dnsfunc=lambda name, timeout=5: records.get(name))))
        except dkim.DKIMException:
            found.append(False)
    verdicts.append(found)
print(json.dumps(verdicts))
`;

function python(code: string, input = ''): string | undefined {
  try {
    return execFileSync('python3', ['-c', code], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  } catch {
    return undefined;
  }
}

const hasDkimpy = python('import dkim, nacl.signing') !== undefined;
const required = process.env.POSTLOFT_REQUIRE_ENGINES === '1';

const at = new Date('2026-11-01T10:00:00Z');
const records: Record<string, string> = {};
let rsa: DkimKey;
let ed25519: DkimKey;

beforeAll(async () => {
  const made = await generateDkimKeys();
  const key = (pem: string): KeyObject => createPrivateKey(pem);
  rsa = { domain: 'ex.com', selector: 'r1', algorithm: 'rsa-sha256', privateKey: key(made.rsa.privateKeyPem) };
  ed25519 = {
    domain: 'ex.com',
    selector: 'e1',
    algorithm: 'ed25519-sha256',
    privateKey: key(made.ed25519.privateKeyPem),
  };
  records['r1._domainkey.ex.com'] = dkimRecordValue('rsa-sha256', made.rsa.publicKeyBase64);
  records['e1._domainkey.ex.com'] = dkimRecordValue('ed25519-sha256', made.ed25519.publicKeyBase64);
});

async function judgeWithMailauth(message: Buffer): Promise<string[]> {
  const resolver = async (name: string, type: string) => {
    const value = records[name];
    if (type !== 'TXT' || value === undefined) throw Object.assign(new Error('no data'), { code: 'ENOTFOUND' });
    return [[value]];
  };
  const { results } = await dkimVerify(message, { resolver });
  return results.map(({ status }: { status: { result: string } }) => status.result);
}

function judgeWithDkimpy(messages: Buffer[]): boolean[][] {
  const job = JSON.stringify({ records, messages: messages.map((message) => message.toString('base64')) });
  const answer = python(PYTHON_JUDGE, job);
  if (answer === undefined) throw new Error('dkimpy did not answer');
  return JSON.parse(answer) as boolean[][];
}

async function signed(message: Buffer, keys = [rsa, ed25519]): Promise<Buffer> {
  return Buffer.concat([await signDkim(message, keys, at), message]);
}

const HEAD =
  'From: Acme <news@ex.com>\r\nTo: b@ex.org\r\nSubject: Hello\r\nDate: Sun, 01 Nov 2026 10:00:00 +0000\r\n' +
  'Message-ID: <1@ex.com>\r\nReply-To: help@ex.com\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n';

const CASES: [what: string, message: string][] = [
  ['a plain body', `${HEAD}\r\nHello.\r\n`],
  ['an empty body', `${HEAD}\r\n`],
  ['a body of one empty line', `${HEAD}\r\n\r\n`],
  ['a body of white space only', `${HEAD}\r\n \t \r\n\r\n  \r\n`],
  ['trailing blank lines', `${HEAD}\r\nHello.\r\n\r\n\r\n\r\n`],
  ['trailing blank lines with spaces', `${HEAD}\r\nHello.\r\n \r\n\t\r\n`],
  ['no final newline', `${HEAD}\r\nHello.`],
  ['dots', `${HEAD}\r\n.\r\n..\r\n. .\r\n.Hello\r\n`],
  ['8-bit text', `${HEAD}Content-Transfer-Encoding: 8bit\r\n\r\nGrüße, 山田 \u00a0 \u0085 !\r\n`],
  ['runs of white space', `${HEAD}\r\n  two\t\ttabs  and \t mixed \t\r\n\tlead\r\nend  \r\n x \r\n`],
  ['an inner blank line with spaces', `${HEAD}\r\none\r\n   \r\ntwo\r\n`],
  ['a leading blank line', `${HEAD}\r\n\r\n\r\ntext\r\n`],
  ['UTF-8 headers', `${HEAD}Feedback-ID: 1:2:3:ex\r\nX-Name: Grüße\r\n\r\nx\r\n`.replace('Hello', 'Grüße 山田')],
  ['folded headers', `${HEAD}\r\nx\r\n`.replace('Hello', 'Hello\r\n\tfolded \t \r\n   again\t')],
  ['spaces around the value', `${HEAD}\r\nx\r\n`.replace('Subject: Hello', 'SUBJECT:   Hello  \t')],
  ['an empty header', `${HEAD}\r\nx\r\n`.replace('Subject: Hello', 'Subject:')],
  ['a header of white space', `${HEAD}\r\nx\r\n`.replace('Subject: Hello', 'Subject: \t ')],
  ['two fields of a protected name', `References: <a@b>\r\n${HEAD}References: <c@d>\r\nReferences: <e@f>\r\n\r\nx\r\n`],
  [
    'list headers',
    `${HEAD}List-Unsubscribe: <https://ex.com/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nx\r\n`,
  ],
  ['an older signature', `DKIM-Signature: v=1; a=rsa-sha1; d=x; s=y; h=from; bh=; b=\r\n${HEAD}\r\nx\r\n`],
  [
    'a body over several blocks',
    `${HEAD}\r\n${'0123456789 abcdef\r\n'.repeat(9_000)}${'a  b\t\r\n'.repeat(9_000)}z\r\n`,
  ],
  ['blank lines over several turns', `${HEAD}\r\nHello.${'\r\n'.repeat(200_000)}`],
  ['one very long stretch without line end', `${HEAD}\r\n${'x '.repeat(100_000)}z`],
];

/** mailauth takes the octets 0x85 and 0xA0 of UTF-8 characters for white space, so it cannot verify this one. */
const FOR_DKIMPY: [what: string, message: string][] = [
  ...CASES,
  ['UTF-8 headers with octets 0x85 and 0xA0', `${HEAD}\r\nx\r\n`.replace('Hello', 'à la \u00a0 Å \u0085')],
];

const FORGERIES = [
  'Subject: Forged',
  'From: evil@evil.example',
  'Reply-To: evil@evil.example',
  'Content-Type: text/html',
];

describe('signDkim', () => {
  it.each(CASES)('makes signatures that mailauth accepts: %s', async (what, message) => {
    const verdicts = await judgeWithMailauth(await signed(Buffer.from(message)));
    expect(verdicts.slice(0, 2)).toEqual(['pass', 'pass']);
    if (what !== 'an older signature') expect(verdicts).toHaveLength(2);
  });

  it('writes complete folded header fields of at most 78 octets a line', async () => {
    const block = (await signDkim(Buffer.from(CASES[0][1]), [rsa, ed25519], at)).toString('latin1');
    expect(block.endsWith('\r\n')).toBe(true);
    const lines = block.slice(0, -2).split('\r\n');
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(78);
      expect(line).toMatch(/^(DKIM-Signature:|\t[^ \t])/);
    }
    expect(lines.filter((line) => line.startsWith('DKIM'))).toHaveLength(2);
  });

  it('lists each signed field once more than it occurs, and no body length', async () => {
    const block = (await signDkim(Buffer.from(CASES[0][1]), [rsa], at)).toString('latin1').replace(/\s+/g, '');
    const names = /h=([^;]*)/.exec(block)?.[1].split(':') ?? [];
    const count = (name: string) => names.filter((other) => other === name).length;
    expect([count('from'), count('subject'), count('reply-to'), count('content-type')]).toEqual([2, 2, 2, 2]);
    expect([count('cc'), count('list-unsubscribe-post'), count('feedback-id'), count('references')]).toEqual([
      1, 1, 1, 1,
    ]);
    expect(block).toContain('c=relaxed/relaxed');
    expect(block).toContain(`t=${at.getTime() / 1000}`);
    expect(block).not.toMatch(/;l=/);
  });

  const OPTIONAL = [
    'Sender: news@ex.com',
    'List-Id: <news.ex.com>',
    'Content-Disposition: inline',
    'Content-ID: <part@ex.com>',
  ];
  const RESENT = [
    'Resent-Date: Sun, 01 Nov 2026 11:00:00 +0000',
    'Resent-From: desk@ex.com',
    'Resent-Sender: robot@ex.com',
    'Resent-To: c@ex.org',
    'Resent-Cc: d@ex.org',
    'Resent-Message-ID: <2@ex.com>',
  ];
  const signedNames = async (head: string) => {
    const block = (await signDkim(Buffer.from(`${head}\r\nx\r\n`), [ed25519], at)).toString('latin1');
    return /h=([^;]*)/.exec(block.replace(/\s+/g, ''))?.[1].split(':') ?? [];
  };

  it('signs the optional fields where they occur, and those of resending as often as they occur', async () => {
    const fields = [...OPTIONAL, ...RESENT, ...RESENT];
    const names = await signedNames(`${fields.join('\r\n')}\r\n${HEAD}`);
    const count = (field: string) => names.filter((name) => name === field.split(':')[0].toLowerCase()).length;
    expect(OPTIONAL.map(count)).toEqual([2, 2, 2, 2]);
    expect(RESENT.map(count)).toEqual([2, 2, 2, 2, 2, 2]);
    const absent = await signedNames(HEAD);
    expect(absent.filter((name) => /^(?:sender|list-id|resent-|content-(?:disp|id))/.test(name))).toEqual([]);
  });

  it('makes valid signatures over the optional fields, which break when one is removed or doubled', async () => {
    const head = `${[...OPTIONAL, ...RESENT].join('\r\n')}\r\n${HEAD}`;
    const original = (await signed(Buffer.from(`${head}\r\nHello.\r\n`))).toString('latin1');
    expect(await judgeWithMailauth(Buffer.from(original, 'latin1'))).toEqual(['pass', 'pass']);
    for (const field of [...OPTIONAL, ...RESENT])
      expect(await judgeWithMailauth(Buffer.from(original.replace(`${field}\r\n`, ''), 'latin1')), field).toEqual([
        'fail',
        'fail',
      ]);
    // A later resender puts fields of its own on top (RFC 5322 section 3.6.6).
    const resentAgain = Buffer.from(`${RESENT.join('\r\n')}\r\n${original}`, 'latin1');
    expect(await judgeWithMailauth(resentAgain)).toEqual(['pass', 'pass']);
  });

  it('returns an empty buffer without keys', async () => {
    expect(await signDkim(Buffer.from(CASES[0][1]), [], at)).toHaveLength(0);
  });

  it('rejects a key of another type than its algorithm', async () => {
    const wrong: DkimKey = { ...ed25519, algorithm: 'rsa-sha256' };
    await expect(signDkim(Buffer.from(CASES[0][1]), [wrong], at)).rejects.toThrow();
  });

  it.each([' \t', 'a ', ' \r\n', '\r\n', ' \ta\r\n', 'a  \r\n'])(
    'hashes 10 MB of hostile white space in linear time: %j',
    async (piece) => {
      const hostile = Buffer.from(`${HEAD}\r\n${piece.repeat(10_000_000 / piece.length)}`);
      expect((await signDkim(hostile, [ed25519], at)).toString('latin1')).toMatch(/^DKIM-Signature: /);
    },
  );

  it.each(['text\r\n', 'a  \r\n', ' \t', '\r\n'])(
    'lets others go first all the time, in 10 MB of %j',
    async (piece) => {
      let turns = 0;
      const turn = (): void => {
        turns += 1;
        next = setImmediate(turn);
      };
      let next = setImmediate(turn);
      await signDkim(Buffer.from(`${HEAD}\r\n${piece.repeat(10_000_000 / piece.length)}`), [ed25519], at);
      clearImmediate(next);
      expect(turns).toBeGreaterThanOrEqual(10_000_000 / (192 * 1024));
    },
  );
});

describe('signDkim, verified by dkimpy', () => {
  it.runIf(required)('has dkimpy at hand', () => {
    expect(hasDkimpy).toBe(true);
  });

  it.skipIf(!hasDkimpy)('is valid in every case, for both algorithms', async () => {
    const messages = await Promise.all(FOR_DKIMPY.map(([, message]) => signed(Buffer.from(message))));
    const verdicts = judgeWithDkimpy(messages);
    for (const [index, [what]] of FOR_DKIMPY.entries()) {
      expect({ what, verdict: verdicts[index].slice(0, 2) }).toEqual({ what, verdict: [true, true] });
    }
  });

  it.skipIf(!hasDkimpy)('is valid for composed messages', async () => {
    const messages = await Promise.all(
      ['Grüße aus Köln', 'plain', '=?utf-8?q?not=20encoded?=', '長い件名'.repeat(40)].map(async (subject, index) =>
        signed(
          await composeMessage({
            messageId: `${index}@ex.com`,
            date: at,
            from: { name: subject, address: 'news@ex.com' },
            to: [{ name: '', address: 'b@ex.org' }],
            cc: [],
            replyTo: [],
            subject,
            html: `<p>${subject}</p>\n<p>  two  spaces </p>`,
            text: `${subject} \n\n\n.\n`,
            headers: [['List-Unsubscribe', '<https://ex.com/u>']],
            attachments: index % 2 ? [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('x') }] : [],
            boundarySeed: `${index}`,
          }),
        ),
      ),
    );
    expect(judgeWithDkimpy(messages)).toEqual(messages.map(() => [true, true]));
  });

  it.skipIf(!hasDkimpy)('breaks when a protected field is pasted on top', async () => {
    const original = await signed(Buffer.from(CASES[0][1]));
    const forged = FORGERIES.map((field) => Buffer.concat([Buffer.from(`${field}\r\n`), original]));
    expect(judgeWithDkimpy(forged)).toEqual(FORGERIES.map(() => [false, false]));
    const absent = ['Cc: e@v.example', 'List-Unsubscribe: <https://evil.example>', 'In-Reply-To: <x@y>'];
    const added = absent.map((field) => Buffer.concat([Buffer.from(`${field}\r\n`), original]));
    expect(judgeWithDkimpy(added)).toEqual(absent.map(() => [false, false]));
    const withSender = await signed(Buffer.from(`Sender: news@ex.com\r\n${CASES[0][1]}`));
    const doubled = Buffer.concat([Buffer.from('Sender: e@evil.example\r\n'), withSender]);
    expect(judgeWithDkimpy([withSender, doubled])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it.skipIf(!hasDkimpy)('breaks when a word of the body or the subject changes', async () => {
    const original = (await signed(Buffer.from(CASES[0][1]))).toString('latin1');
    const changed = [original.replace('Hello.', 'Hallo.'), original.replace(': Hello', ': Hallo')];
    expect(judgeWithDkimpy(changed.map((text) => Buffer.from(text, 'latin1')))).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  it.each([
    ['a message', 'From: a@ex.com\r\nSubject: x\r\n\r\nHello\r\n'],
    ['a message of headers alone', 'From: a@ex.com\r\n'],
    ['a message without headers', '\r\nHello\r\n'],
  ])('signs separate first fields before %s as if they were part of it', async (_, text) => {
    const front = Buffer.from('Feedback-ID: a:b:c\r\nX-Ref: long\r\n folded\r\n');
    const rest = Buffer.from(text);
    const apart = await signDkim({ front, rest }, [rsa, ed25519], at);
    expect(apart.equals(await signDkim(Buffer.concat([front, rest]), [rsa, ed25519], at))).toBe(true);
  });
});
