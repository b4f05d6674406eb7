import fc from 'fast-check';

/** A message as a client may submit it, octet for octet, and what must arrive of it. */
export interface RandomMessage {
  submitted: Buffer;
  /** The header fields that stay, in order, with their line ends. */
  kept: Buffer;
  body: Buffer;
  hasDate: boolean;
  hasId: boolean;
}

type Field = [text: string, fate: 'kept' | 'removed'];

/** The senders named in the messages are here. */
export const SENDER_DOMAIN = 'random-messages.example';
const word = fc.constantFrom(
  'a',
  'Größe',
  '請求書',
  'x  y',
  '=?utf-8?Q?=C3=BC?=',
  '"q; r"',
  '<a@b.example>',
  '\tz',
  'A'.repeat(200),
);
const value = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const folded = fc.array(value, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\r\n '));
const named = (...names: string[]) => fc.constantFrom(...names);

/** Each at most once in a message. */
const ONCE: fc.Arbitrary<Field>[] = [
  folded.map((text): Field => [`Subject: ${text}`, 'kept']),
  named('Cc: a@b.example', 'cc:c@d.example,\r\n\te@f.example').map((text): Field => [text, 'kept']),
  named('Reply-To: Me <me@b.example>', 'In-Reply-To: <a@b.example>').map((text): Field => [text, 'kept']),
  named('MIME-Version: 1.0', 'Mime-version:1.0').map((text): Field => [text, 'kept']),
  named('Content-Type: text/plain; charset=utf-8', 'content-type:\r\n text/html').map((text): Field => [text, 'kept']),
  named(`Sender: Post <post@${SENDER_DOMAIN}>`).map((text): Field => [text, 'kept']),
];
const MANY: fc.Arbitrary<Field> = fc.oneof(
  folded.map((text): Field => [`X-Mine: ${text}`, 'kept']),
  named(
    'Received: from a by b; Sat, 3 Jan 2026 10:00:00 +0000',
    'DKIM-Signature: v=1; a=rsa-sha256; d=b.example;\r\n\ts=x; h=from; bh=AA==; b=BB==',
    'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=b.example; s=x; b=CC==',
    'Authentication-Results: b.example; spf=pass',
    `Resent-From: post@${SENDER_DOMAIN}`,
    'Resent-To: somebody@b.example',
    'Comments:',
    'x-service: no control field',
  ).map((text): Field => [text, 'kept']),
  named(
    'Bcc: hidden@b.example',
    'BCC:\r\n hidden@b.example,\r\n\thidden@c.example',
    'bcc: undisclosed-recipients:;',
    'Resent-Bcc: hidden@b.example',
    'Return-Path: <hidden@b.example>',
    'X-Service-Nothing: hidden',
    'x-SERVICE-other:\r\n hidden',
  ).map((text): Field => [text, 'removed']),
);

const line = fc.oneof(
  fc.constantFrom('', '.', '..', '.x', '.\t', 'From here', 'Größe', ' ', '--b', '=3D', 'x'.repeat(998), '\t. '),
  fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n\0]/g, '')),
  fc.uint8Array({ maxLength: 40 }).map((octets) =>
    Buffer.from(octets)
      .toString('latin1')
      .replace(/[\r\n\0]/g, 'é'),
  ),
);
const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n');
/** In Latin-1, so that a character is an octet. The last line end is that of the dot behind it (RFC 5321 §4.1.1.4). */
const body = fc.record({
  lines: fc.array(fc.tuple(line, lineEnd), { maxLength: 12 }),
  unended: fc.constantFrom('', '', 'the end'),
});

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const wholeLines = (text: string): string => text.replace(/\r?\n/g, '\r\n');

/** Messages of all sorts, each with a recipient of its own in `To`. */
export const randomMessage = fc
  .record({
    once: fc.subarray(ONCE).chain((fields) => fc.tuple(...fields)),
    many: fc.array(MANY, { maxLength: 6 }),
    date: fc.boolean(),
    id: fc.boolean(),
    empty: fc.boolean(),
    body,
    order: fc.infiniteStream(fc.nat()),
  })
  .map(({ once, many, date, id, empty, body: content, order }) => (recipient: string): RandomMessage => {
    const fields: Field[] = [
      [`From: Shop <orders@${SENDER_DOMAIN}>`, 'kept'],
      [`To: <${recipient}>`, 'kept'],
      ...once,
      ...many,
      ...(date ? [['Date: Sat, 03 Jan 2026 10:00:00 +0000', 'kept'] as Field] : []),
      ...(id ? [[`Message-ID: <${recipient}>`, 'kept'] as Field] : []),
      ...(empty && !date ? [['date:', 'removed'] as Field] : []),
    ];
    const mixed = fields
      .map((field) => ({ field, at: order.next().value }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ field }) => field);
    const head = (which: Field[]) => Buffer.from(which.map(([text]) => `${text}\r\n`).join(''));
    const text = content.lines
      .map(([words, end], i) => words.replace(/[^\0-\xff]/g, '?') + (i === content.lines.length - 1 ? '\r\n' : end))
      .concat(content.unended)
      .join('');
    const ended = text === '' || text.endsWith('\n') ? text : `${text}\r\n`;
    return {
      submitted: Buffer.concat([head(mixed), octetsOf('\r\n'), octetsOf(text)]),
      kept: head(mixed.filter(([, fate]) => fate === 'kept')),
      body: octetsOf(`\r\n${wholeLines(ended)}`),
      hasDate: date,
      hasId: id,
    };
  });
