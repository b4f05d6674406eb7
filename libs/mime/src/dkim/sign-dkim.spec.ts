import { readFileSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgeWithPython } from '../../../../test/support/judges/mail-judges.js';
import { composeMessage } from '../compose/compose-message.js';
import type { DkimKey } from './dkim-keys.js';
import { dkimRecordValue, generateDkimKeys } from './dkim-keys.js';
import { signDkim } from './sign-dkim.js';

/*
 * Signatures are verified by dkimpy (Python) and mailauth. Only dkimpy can prove the oversigning, because it reads the fields
 * of h= as they are.
 */

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

const judgeWithDkimpy = async (signed: Buffer[]) => (await judgeWithPython?.({ signed, records }))?.dkim ?? [];

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
  it.skipIf(judgeWithPython === null)('is valid in every case, for both algorithms', async () => {
    const messages = await Promise.all(FOR_DKIMPY.map(([, message]) => signed(Buffer.from(message))));
    const verdicts = await judgeWithDkimpy(messages);
    for (const [index, [what]] of FOR_DKIMPY.entries()) {
      expect({ what, verdict: verdicts[index].slice(0, 2) }).toEqual({ what, verdict: [true, true] });
    }
  });

  it.skipIf(judgeWithPython === null)('is valid for composed messages', async () => {
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
    expect(await judgeWithDkimpy(messages)).toEqual(messages.map(() => [true, true]));
  });

  it.skipIf(judgeWithPython === null)('breaks when a protected field is pasted on top', async () => {
    const original = await signed(Buffer.from(CASES[0][1]));
    const forged = FORGERIES.map((field) => Buffer.concat([Buffer.from(`${field}\r\n`), original]));
    expect(await judgeWithDkimpy(forged)).toEqual(FORGERIES.map(() => [false, false]));
    const absent = ['Cc: e@v.example', 'List-Unsubscribe: <https://evil.example>', 'In-Reply-To: <x@y>'];
    const added = absent.map((field) => Buffer.concat([Buffer.from(`${field}\r\n`), original]));
    expect(await judgeWithDkimpy(added)).toEqual(absent.map(() => [false, false]));
  });

  /** Values of the fields that docs/sending.md names. */
  const VALUES: Record<string, string> = {
    From: 'evil@evil.example',
    To: 'c@evil.example',
    Cc: 'c@evil.example',
    Date: 'Mon, 02 Nov 2026 10:00:00 +0000',
    Sender: 'evil@evil.example',
    'Reply-To': 'evil@evil.example',
    'Message-ID': '<9@evil.example>',
    'List-Id': '<evil.example>',
  };
  const fieldOf = (name: string): string => `${name}: ${VALUES[name] ?? 'forged'}\r\n`;

  /** The names in the first column of a row of the table of signed fields. */
  function documented(signature: string): string[] {
    const page = readFileSync(new URL('../../../../docs/sending.md', import.meta.url), 'utf8');
    const row = page.split('\n').find((line) => line.replace(/ +\|$/, '').endsWith(`| ${signature}`)) ?? '';
    return [...row.matchAll(/`([A-Za-z-]+)`/g)].map(([, name]) => name);
  }

  it.skipIf(judgeWithPython === null)(
    'breaks when a field is doubled that docs/sending.md calls oversigned',
    async () => {
      const always = documented('always, once more than they occur');
      const optional = documented('where they occur, once more than they occur');
      expect(always).toEqual(expect.arrayContaining(['From', 'Subject', 'List-Unsubscribe']));
      expect(optional).toEqual(expect.arrayContaining(['Sender', 'List-Id']));
      const own = HEAD.split('\r\n').map((line) => line.split(':', 1)[0]);
      const absent = [...always, ...optional].filter((name) => !own.includes(name));
      const original = await signed(Buffer.from(`${absent.map(fieldOf).join('')}${HEAD}\r\nHello.\r\n`));
      const doubled = [...always, ...optional].map((name) => Buffer.concat([Buffer.from(fieldOf(name)), original]));
      const verdicts = await judgeWithDkimpy([original, ...doubled]);
      expect(verdicts[0]).toEqual([true, true]);
      const stillValid = [...always, ...optional].filter((_, i) => verdicts[i + 1].includes(true));
      expect(stillValid).toEqual([]);
      expect(verdicts).toHaveLength(1 + always.length + optional.length);
    },
  );

  it.skipIf(judgeWithPython === null)(
    'stays valid when mailing lists and resenders add fields that docs/sending.md allows',
    async () => {
      const original = await signed(Buffer.from(CASES[0][1]));
      const names = [
        ...documented('where they occur, once more than they occur'),
        ...documented('where they occur, as often as they occur'),
      ];
      expect(names).toHaveLength(10);
      const added = names.map((name) => Buffer.concat([Buffer.from(fieldOf(name)), original]));
      expect(await judgeWithDkimpy(added)).toEqual(names.map(() => [true, true]));
    },
  );

  it.skipIf(judgeWithPython === null)('breaks when a word of the body or the subject changes', async () => {
    const original = (await signed(Buffer.from(CASES[0][1]))).toString('latin1');
    const changed = [original.replace('Hello.', 'Hallo.'), original.replace(': Hello', ': Hallo')];
    expect(await judgeWithDkimpy(changed.map((text) => Buffer.from(text, 'latin1')))).toEqual([
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
