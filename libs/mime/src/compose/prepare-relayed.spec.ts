import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { prepareRelayed } from './prepare-relayed.js';
import { readAddressEntry } from '../parse/address-list.js';
import type { RelayedMessage, RelayProblem } from './relayed-message.js';

const OPTIONS = {
  serviceDomain: 'postloft.test',
  messageId: () => 'new-1',
  date: () => new Date('2026-11-01T10:00:00Z'),
};
const BASE =
  'From: Acme <news@ex.com>\r\nTo: b@ex.org\r\nSubject: Hello\r\nDate: Sat, 31 Oct 2026 09:00:00 +0100\r\nMessage-ID: <own@ex.com>\r\n';
const BODY = '\r\nHello \t\r\n..\r\n\r\n';
/** Octets of a hostile message. */
const TIMES = 50;

function prepare(text: string): RelayedMessage | RelayProblem {
  return prepareRelayed(Buffer.from(text), OPTIONS);
}

function relayed(text: string): RelayedMessage & { message: Buffer } {
  const result = prepare(text);
  if ('problem' in result) throw new Error(result.problem);
  return { ...result, message: Buffer.concat(result.pieces) };
}

const shown = (entries: string[]) => entries.map(readAddressEntry).filter((mailbox) => mailbox !== null);

describe('prepareRelayed', () => {
  it('returns a complete message as the same buffer', () => {
    const message = Buffer.from(BASE + BODY);
    const result = prepareRelayed(message, OPTIONS);
    expect((result as RelayedMessage).pieces).toEqual([message]);
    expect((result as RelayedMessage).pieces[0]).toBe(message);
    expect(result).toMatchObject({
      from: { address: 'news@ex.com', name: 'Acme' },
      to: ['b@ex.org'],
      cc: [],
      replyTo: [],
      subject: 'Hello',
      messageId: '<own@ex.com>',
      tags: {},
      smtputf8: false,
      eightBit: false,
    });
  });

  it('reads quoted local parts in the fields of addresses', () => {
    const text = 'From: Ada <"ada l"@ex.com>\r\nSender: "ada\\ l"@ex.com\r\nTo: "b, c"@ex.org, <"d;e"@ex.org>\r\n';
    const { from, to } = relayed(text + BODY);
    expect(from).toEqual({ address: '"ada l"@ex.com', name: 'Ada' });
    expect(shown(to).map(({ address }) => address)).toEqual(['"b, c"@ex.org', '"d;e"@ex.org']);
  });

  it('adds Date and Message-ID where they are missing or empty', () => {
    const { message, messageId } = relayed(`From: news@ex.com\r\nmessage-id:\r\nX-A: 1\r\n${BODY}`);
    expect(messageId).toBe('<new-1@ex.com>');
    expect(message.toString()).toBe(
      `From: news@ex.com\r\nX-A: 1\r\nMessage-ID: <new-1@ex.com>\r\nDate: Sun, 01 Nov 2026 10:00:00 +0000\r\n${BODY}`,
    );
  });

  it('uses the requested time of sending as the date', () => {
    const date = (scheduledAt?: string) => new Date(scheduledAt ?? '2026-11-01T10:00:00Z');
    const given = (field: string) =>
      prepareRelayed(Buffer.from(`From: a@ex.com\r\n${field}${BODY}`), { ...OPTIONS, date });
    const textOf = (result: ReturnType<typeof given>) => Buffer.concat((result as RelayedMessage).pieces).toString();
    expect(textOf(given(''))).toContain('Date: Sun, 01 Nov 2026 10:00:00 +0000\r\n');
    const later = 'X-Service-Scheduled-At: 2026-11-03T12:00:00Z\r\n';
    expect(textOf(given(later))).toContain('Date: Tue, 03 Nov 2026 12:00:00 +0000\r\n');
    expect(textOf(given(`${later}Date: Sun, 1 Nov 2026 09:00:00 +0000\r\n`))).toMatch(/Date: Sun, 1 Nov[^]*\r\n\r\n/);
  });

  it('keeps a complete message id of the caller', () => {
    const result = prepareRelayed(Buffer.from(`From: a@ex.com\r\n${BODY}`), {
      ...OPTIONS,
      messageId: () => '<x@y.example>',
    });
    expect(result).toMatchObject({ messageId: '<x@y.example>' });
  });

  it('completes a message without a body', () => {
    expect(relayed('From: a@ex.com\r\n').message.toString()).toMatch(
      /^From: a@ex\.com\r\nMessage-ID: .*\r\nDate: .*\r\n$/,
    );
  });

  it('removes Bcc, Return-Path and control headers in any case', () => {
    const { message, tags, idempotencyKey, scheduledAt, track, unknownControls } = relayed(
      `Return-Path: <x@y.example>\r\nBCC: one@ex.org,\r\n two@ex.org\r\n${BASE}bcc: three@ex.org\r\nX-SERVICE-Tag-Kind:\r\n welcome\r\n` +
        'x-service-tag-__proto__: p\r\nX-Service-Scheduled-At: 2026-11-02T00:00:00Z\r\nx-service-track: off\r\n' +
        `Resend-Idempotency-KEY: k1\r\nX-Service-Anything: x\r\nX-Other: kept\r\n${BODY}`,
    );
    expect(message.toString()).toBe(`${BASE}X-Other: kept\r\n${BODY}`);
    expect(Object.entries(tags)).toEqual([
      ['kind', 'welcome'],
      ['__proto__', 'p'],
    ]);
    expect({ idempotencyKey, scheduledAt, track }).toEqual({
      idempotencyKey: 'k1',
      scheduledAt: '2026-11-02T00:00:00Z',
      track: 'off',
    });
    expect(unknownControls).toEqual(['X-Service-Anything']);
  });

  it('removes the fields of its own delivery, and results of authentication in its own name', () => {
    const own = ['postloft.test', 'SMTP.Postloft.Test 1', '"mx.postloft.test"', ' (a (b)) postloft.test.'];
    const foreign = [
      'mx.example.org',
      'notpostloft.test',
      'postloft.test.example.org',
      '(postloft.test) mx.example.org',
    ];
    const verdicts = (ids: string[]) => ids.map((id) => `Authentication-Results: ${id};\r\n dkim=pass\r\n`).join('');
    const kept = `${verdicts(foreign)}ARC-Seal: i=1; a=rsa-sha256\r\nARC-Authentication-Results: i=1; postloft.test\r\n`;
    const { message } = relayed(
      `Delivered-To: a@ex.org\r\n${BASE}FEEDBACK-id: a:b:c\r\nx-postloft-ref:\r\n forged\r\n${verdicts(own)}${kept}${BODY}`,
    );
    expect(message.toString()).toBe(`${BASE}${kept}${BODY}`);
  });

  it('finds a message that is itself a file', () => {
    const of = (head: string) => relayed(`${BASE}${head}\r\n${BODY}`).files.map(({ names }) => names);
    expect(of('Content-Type: text/plain; charset=utf-8')).toEqual([]);
    expect(of('Content-Type: text/plain; NAME=a.txt')).toEqual([['a.txt']]);
    expect(of('Content-Type: text/plain\r\nContent-Disposition: attachment')).toEqual([[]]);
    expect(of('Content-Disposition: inline; filename=a.txt')).toEqual([['a.txt']]);
    expect(of('Content-Type: application/pdf; name*0=a.;\r\n name*1=pdf')).toEqual([['a.pdf']]);
    expect(prepare(`${BASE}Content-Type: multipart/mixed\r\n${BODY}`)).toMatchObject({ enhanced: '5.6.0' });
  });

  it('decodes folded and encoded control headers', () => {
    const { tags, idempotencyKey, scheduledAt } = relayed(
      `${BASE}X-Service-Tag-Name:\r\n =?utf-8?Q?Gr=C3=BC?=\r\n =?utf-8?Q?=C3=9Fe?=\r\n` +
        'X-Service-Idempotency-Key: =?utf-8?q?' +
        `${'a'.repeat(50)}?=\r\n =?utf-8?q?${'b'.repeat(50)}?=\r\nX-Service-Scheduled-At:\r\n\t2026-11-02T00:00:00Z \r\n${BODY}`,
    );
    expect({ tags, idempotencyKey, scheduledAt }).toEqual({
      tags: { name: 'Grüße' },
      idempotencyKey: 'a'.repeat(50) + 'b'.repeat(50),
      scheduledAt: '2026-11-02T00:00:00Z',
    });
  });

  it('decodes names and subject and reads lists leniently', () => {
    const { from, to, cc, subject, replyTo } = relayed(
      'From: =?utf-8?Q?J=C3=BCrgen?= <j@ex.com>\r\nSubject: =?utf-8?Q?Gr=C3=BC?=\r\n =?utf-8?Q?=C3=9Fe?=\r\n' +
        'To: undisclosed-recipients:;\r\n' +
        'Cc: Team: a@ex.org, "B, b" <b@ex.org>;, (c, c) c@ex.org (x), <d@ex.org>, junk, =?utf-8?q?=C3=A9?=\r\n\t<e@ex.org>\r\n' +
        `Reply-To: "x \\" y" <r@ex.com>\r\n${BODY}`,
    );
    expect(from).toEqual({ address: 'j@ex.com', name: 'Jürgen' });
    expect(subject).toBe('Grüße');
    expect(shown(to)).toEqual([]);
    expect(shown(cc)).toEqual([
      { address: 'a@ex.org', name: '' },
      { address: 'b@ex.org', name: 'B, b' },
      { address: 'c@ex.org', name: 'c, c x' },
      { address: 'd@ex.org', name: '' },
      { address: 'e@ex.org', name: 'é' },
    ]);
    expect(shown(replyTo)).toEqual([{ address: 'r@ex.com', name: 'x " y' }]);
  });

  it('reports the extensions that the next server must offer', () => {
    expect(relayed(`${BASE}\r\nGrüße\r\n`)).toMatchObject({ eightBit: true, smtputf8: false });
    expect(relayed(`${BASE}X-A: Grüße\r\n\r\nx\r\n`)).toMatchObject({ eightBit: false, smtputf8: true });
    expect(relayed(`${BASE}X-Service-Tag-a: Grüße\r\n\r\nx\r\n`)).toMatchObject({
      smtputf8: false,
      tags: { a: 'Grüße' },
    });
  });

  it.each([
    ['no From', 'To: b@ex.org\r\n', '5.6.0'],
    ['no header at all', '', '5.6.0'],
    ['two From', 'From: a@ex.com\r\nfrom: b@ex.com\r\n', '5.6.0'],
    ['two From, one folded', 'From: a@ex.com\r\nFROM:\r\n e@v.example\r\n', '5.6.0'],
    ['From with space before the colon', 'From: a@ex.com\r\nFrom : e@v.example\r\n', '5.6.0'],
    ['an empty From', 'From:\r\n', '5.7.1'],
    ['From with a list', 'From: a@ex.com, b@ex.com\r\n', '5.7.1'],
    ['From with a group', 'From: G: a@ex.com;\r\n', '5.7.1'],
    ['From with a comment', 'From: a@ex.com (x) <e@v.example>\r\n', '5.7.1'],
    ['From with another address in a comment', 'From: a@ex.com (e@v.example)\r\n', '5.7.1'],
    ['From with an encoded one in a comment', 'From: a@ex.com (=?utf-8?q?e=40v.example?=)\r\n', '5.7.1'],
    ['From with angles in a comment', 'From: a@ex.com (x <e>)\r\n', '5.7.1'],
    ['From with an escape in a comment', 'From: a@ex.com (x\\)\r\n', '5.7.1'],
    ['From with quotes in a comment', 'From: a@ex.com ("x")\r\n', '5.7.1'],
    ['From with the end of a comment in quotes', 'From: a@ex.com ("x) <e@v.example> (")\r\n', '5.7.1'],
    ['From with a parenthesis that base64 hides', 'From: a@ex.com (=?utf-8?b?)eA==?=)\r\n', '5.7.1'],
    ['From with an open comment', 'From: a@ex.com (x\r\n', '5.7.1'],
    ['From with a direction override in a comment', 'From: a@ex.com (\u202ex)\r\n', '5.7.1'],
    ['From with a comment in the address', 'From: a(x)@ex.com\r\n', '5.7.1'],
    ['a foreign Sender with a comment', 'From: a@ex.com\r\nSender: e@v.example (x)\r\n', '5.7.1'],
    ['From with an address as name', 'From: a@ex.com <e@v.example>\r\n', '5.7.1'],
    ['From with an encoded word as local part', 'From: =?utf-8?q?a?=@ex.com\r\n', '5.7.1'],
    ['From as one encoded word', 'From: =?utf-8?q?a=40ex.com?=\r\n', '5.7.1'],
    ['From with an encoded word in the domain', 'From: <a@=?utf-8?q?ex.com?=>\r\n', '5.7.1'],
    ['From with a fold in the address', 'From: <a@ex\r\n .com>\r\n', '5.7.1'],
    ['List-Unsubscribe-Post alone', `${BASE}List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`, '5.6.0'],
    [
      'List-Unsubscribe-Post without https',
      `${BASE}List-Unsubscribe: <mailto:a@ex.com>\r\nList-Unsubscribe-Post: x\r\n`,
      '5.6.0',
    ],
    ['From with half a quoted local part', 'From: "a"b@ex.com\r\n', '5.7.1'],
    ['From with a source route', 'From: <@x.example:a@ex.com>\r\n', '5.7.1'],
    ['From with an address literal', 'From: a@[127.0.0.1]\r\n', '5.7.1'],
    ['From with two angles', 'From: <a@ex.com> <e@v.example>\r\n', '5.7.1'],
    ['From with a direction override', 'From: A\u202e <a@ex.com>\r\n', '5.7.1'],
    ['From with a control', 'From: A\x01 <a@ex.com>\r\n', '5.7.1'],
    ['a foreign Sender', 'From: a@ex.com\r\nSender: e@v.example\r\n', '5.7.1'],
    ['an unreadable Sender', 'From: a@ex.com\r\nSender: x, e@v.example\r\n', '5.7.1'],
    ['a Sender at a subdomain', 'From: a@ex.com\r\nSender: a@sub.ex.com\r\n', '5.7.1'],
    ['a foreign Resent-From', 'From: a@ex.com\r\nresent-from: e@v.example\r\n', '5.7.1'],
    ['two subjects', `${BASE}Subject: x\r\n`, '5.6.0'],
    ['two dates', `${BASE}Date: x\r\n`, '5.6.0'],
    ['two message ids', `${BASE}Message-Id: <x@y>\r\n`, '5.6.0'],
    ['two To', `${BASE}to: x@ex.org\r\n`, '5.6.0'],
    ['two content types', `${BASE}Content-Type: text/plain\r\nContent-type: text/html\r\n`, '5.6.0'],
    ['two idempotency keys', `${BASE}X-Service-Idempotency-Key: a\r\nResend-Idempotency-Key: b\r\n`, '5.6.0'],
    ['a tag twice, in another case', `${BASE}X-Service-Tag-Kind: a\r\nx-service-tag-kind: b\r\n`, '5.6.0'],
    ['100 Received', 'Received: x\r\n'.repeat(100) + BASE, '5.4.6'],
    ['1,001 headers', BASE + 'X-A: b\r\n'.repeat(1_000), '5.6.0'],
    ['a malformed line', `${BASE}nothing\r\n`, '5.6.0'],
  ])('refuses %s', (_what, head, enhanced) => {
    expect(prepare(head + BODY)).toMatchObject({ enhanced, code: enhanced === '5.7.1' ? 550 : 554 });
  });

  it('refuses a From in another charset than UTF-8', () => {
    const latin1 = Buffer.from(`From: a@b\xfccher.example\r\n${BODY}`, 'latin1');
    expect(prepareRelayed(latin1, OPTIONS)).toMatchObject({ field: 'From', enhanced: '5.6.0' });
    expect(prepare(`From: a@bücher.example\r\n${BODY}`)).toMatchObject({
      from: { address: 'a@xn--bcher-kva.example' },
    });
  });

  it('reads a name in a comment after the address, as cron writes it, and leaves the field as it is (RFC 5322 §3.4)', () => {
    const { from, message } = relayed(
      `From: root@ex.com (Cron Daemon)\r\nSender: cron@ex.com\r\n\t(J=?utf-8?q?=C3=B6?=)\r\n${BODY}`,
    );
    expect(from).toEqual({ address: 'root@ex.com', name: 'Cron Daemon' });
    expect(message.toString()).toMatch(/^From: root@ex\.com \(Cron Daemon\)\r\n/);
    expect(relayed(`From: a@ex.com (=?utf-8?q?J=C3=BCrgen?=)\r\n${BODY}`).from.name).toBe('Jürgen');
    expect(relayed(`From: a@ex.com ()\r\n${BODY}`).from).toEqual({ address: 'a@ex.com', name: '' });
  });

  it.each([
    ['Shop (Sales) <a@ex.com>', 'Shop (Sales)'],
    ['(Sales) Shop <a@ex.com>', 'Shop (Sales)'],
    ['<a@ex.com> (Sales)', 'Sales'],
    ['(x) a@ex.com', 'x'],
    ['a@ex.com (x (y))', 'x (y)'],
    ['a@ex.com (x \\) y)', 'x ) y'],
    ['a@ex.com (x) (y)', 'x y'],
    ['Shop (x, y) <a@ex.com>', 'Shop (x, y)'],
    ['=?utf-8?q?Caf=C3=A9?= (=?utf-8?q?K=C3=B6ln?=)\r\n <a@ex.com>', 'Café (Köln)'],
  ])('reads comments in From: %j', (field, name) => {
    const { from, message } = relayed(`From: ${field}\r\nReply-To: ${field}\r\nTo: ${field}\r\n${BODY}`);
    expect(from).toEqual({ address: 'a@ex.com', name });
    expect(message.toString()).toContain(`From: ${field}\r\n`);
  });

  it('allows a Sender at the domain of From, and 99 Received', () => {
    expect(prepare(`${'Received: x\r\n'.repeat(99)}${BASE}Sender: Post <post@EX.com>\r\n${BODY}`)).toHaveProperty(
      'from',
    );
  });

  // Repeated, because the length of a header is limited: quadratic time then exceeds the limit of the test.
  it('reads hostile headers of 54 kB in linear time', () => {
    const folded = (piece: string) =>
      Array<string>(60)
        .fill(piece.repeat(900 / piece.length))
        .join('\r\n ');
    for (const piece of ['(', '"', '<', ',', ':', ';', '\\', 'a@ex.org,', '=?a?q?', '"a" <a@ex.org>,']) {
      for (const fields of ['From: a@ex.com\r\nTo', 'From', 'From: a@ex.com\r\nSubject']) {
        const hostile = `${fields}: ${folded(piece)}\r\n${BODY}`;
        const many = () => Array.from({ length: TIMES }, () => prepare(hostile));
        expect(mustReturn(many), `${fields}: ${piece}`).toHaveLength(TIMES);
      }
    }
  });
});
