import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INJECTIONS, OBJECTS } from './injections.js';
import { hasPython, readByPython, type ReadMessage } from '../../support/judges/python.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

const PDF = 'JVBERi0xLjcKJSVFT0YK';
const PARALLEL = 16;
const DOMAIN = 'inject-headers.test';
const SENDER_DOMAIN = 'inject-headers.example';
const SENDER = `orders@${SENDER_DOMAIN}`;

interface Field {
  name: string;
  /** The field named in the error. */
  at: string | RegExp;
  /** The fields of a mail to `recipient` with this value in the field. */
  of(value: unknown, recipient: string): Record<string, unknown>;
  /** Text before the payload. */
  before: string;
  read?(message: ReadMessage): string | null | undefined;
}

const header = (name: string) => (message: ReadMessage) =>
  message.headers.find(([found]) => found.toLowerCase() === name)?.[1];
const file = (over: object) => ({ attachments: [{ filename: 'a.pdf', content: PDF, ...over }] });
const anHour = new Date(Date.now() + 3_600_000).toISOString();

/** Every string of the body except html and text, which do not become headers. */
const FIELDS: Field[] = [
  { name: 'subject', at: 'subject', before: 'Order', of: (v) => ({ subject: v }), read: header('subject') },
  { name: 'sender', at: 'from', before: 'Shop', of: (v) => ({ from: mailbox(v, SENDER) }) },
  { name: 'recipient', at: /^to(\[\d\])?$/, before: 'Ada', of: (v, recipient) => ({ to: mailbox(v, recipient) }) },
  { name: 'recipient in a list', at: /^to(\[\d\])?$/, before: 'Ada', of: (v, to) => ({ to: [mailbox(v, to)] }) },
  { name: 'copy', at: /^cc(\[\d\])?$/, before: 'Bob', of: (v) => ({ cc: mailbox(v, `cc@${DOMAIN}`) }) },
  { name: 'blind copy', at: /^bcc(\[\d\])?$/, before: 'Eve', of: (v) => ({ bcc: mailbox(v, `bcc@${DOMAIN}`) }) },
  {
    name: 'reply',
    at: /^reply_to(\[\d\])?$/,
    before: 'Help',
    of: (v) => ({ reply_to: mailbox(v, 'help@example.com') }),
  },
  {
    name: 'local part',
    at: /^reply_to(\[\d\])?$/,
    before: 'help',
    of: (v) => ({ reply_to: text(v, (t) => `${t}@example.com`) }),
  },
  {
    name: 'header value',
    at: 'headers.X-Mine',
    before: 'v',
    of: (v) => ({ headers: { 'X-Mine': v } }),
    read: header('x-mine'),
  },
  {
    name: 'list header',
    at: 'headers.List-Help',
    before: '<https://example.com/',
    of: (v) => ({ headers: { 'List-Help': v } }),
  },
  { name: 'header name', at: /^headers/, before: 'X-Mine', of: (v) => ({ headers: { [name(v)]: 'v' } }) },
  { name: 'tag value', at: 'tags.order', before: '4711', of: (v) => ({ tags: { order: v } }) },
  { name: 'tag key', at: /^tags/, before: 'order', of: (v) => ({ tags: { [name(v)]: '4711' } }) },
  {
    name: 'file name',
    at: 'attachments[0].filename',
    before: 'invoice',
    of: (v) => file({ filename: text(v, (t) => `${t}.pdf`) }),
    read: (message) => message.files[0]?.filename?.replace(/\.pdf$/, ''),
  },
  {
    name: 'file type',
    at: 'attachments[0].content_type',
    before: 'application/pdf',
    of: (v) => file({ content_type: v }),
  },
  { name: 'file id', at: 'attachments[0].content_id', before: 'logo', of: (v) => file({ content_id: v }) },
  { name: 'file content', at: 'attachments[0].content', before: PDF, of: (v) => file({ content: v }) },
  { name: 'schedule', at: 'scheduled_at', before: anHour, of: (v) => ({ scheduled_at: v }) },
  {
    name: 'unsubscribe address',
    at: /^list_unsubscribe/,
    before: 'https://example.com/u',
    of: (v) => ({ list_unsubscribe: { url: v } }),
  },
  {
    name: 'unsubscribe mail',
    at: /^list_unsubscribe/,
    before: 'u@example.com',
    of: (v) => ({ list_unsubscribe: { mailto: v } }),
  },
  {
    name: 'sandbox result',
    at: 'sandbox_result',
    before: 'bounced',
    of: (v) => ({ sandbox: true, sandbox_result: v }),
  },
  { name: 'priority', at: 'priority', before: 'bulk', of: (v) => ({ priority: v }) },
  { name: 'suppression policy', at: 'suppression_policy', before: 'skip', of: (v) => ({ suppression_policy: v }) },
];

const text = (value: unknown, make: (text: string) => string): unknown =>
  typeof value === 'string' ? make(value) : value;
/** The name of a member is always a string. */
const name = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const mailbox = (name: unknown, address: string): unknown => text(name, (t) => `${t} <${address}>`);

/** Strings from requests never add header fields (header injection). */
describe('strings from requests', () => {
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let mx: ScriptedMx;
  beforeAll(async () => {
    network = await MailNetwork.open('inbound', [DOMAIN], { domain: SENDER_DOMAIN });
    program = network.sender;
    mx = await network.mailServer(DOMAIN);
  });
  afterAll(() => network?.close());

  interface Answer {
    status: number;
    fields: string[];
  }
  const post = async (body: unknown): Promise<Answer> => {
    const response = await program.call('POST', '/emails', body);
    const { details = [] } = (await response.json()) as { details?: { field: string }[] };
    return { status: response.status, fields: details.map((detail) => detail.field) };
  };
  const received = (recipient: string): Buffer | undefined =>
    mx.accepted.find((one) => one.recipients.includes(recipient))?.content;

  it.skipIf(!hasPython())(
    `is refused by its field or read as it was written: ${INJECTIONS.length + OBJECTS.length} payloads in ${FIELDS.length} fields`,
    { timeout: 300_000 },
    async () => {
      expect(INJECTIONS.length).toBeGreaterThanOrEqual(60);
      const cases = FIELDS.flatMap((field, f) =>
        // The first payload is harmless; the other mails must have the same header fields.
        ['', ...INJECTIONS, ...OBJECTS].map((payload, p) => ({
          field,
          payload,
          recipient: `f${f}-p${p}@${DOMAIN}`,
          value: typeof payload === 'string' ? field.before + payload : payload,
          answer: null as Answer | null,
        })),
      );
      await inParallel(cases, async (one) => {
        const { field, value, recipient, payload } = one;
        one.answer = await post(program.mail({ to: recipient, ...field.of(value, recipient) }));
        const { status, fields } = one.answer;
        const what = `${field.name}: ${JSON.stringify(payload)}`;
        // `text/plain&#13` has the form of a type (RFC 6838 section 4.2), and is one that is not allowed.
        const refusals = field.at === 'attachments[0].content_type' ? [400, 422] : [400];
        expect([201, ...refusals], what).toContain(status);
        if (status === 201) return;
        expect(fields.length, what).toBeGreaterThan(0);
        for (const at of fields) expect(at, what).toMatch(typeof field.at === 'string' ? exactly(field.at) : field.at);
      });
      const sent = cases.filter((one) => one.answer?.status === 201 && isSentNow(one.field));
      const missing = () => sent.filter((one) => !received(one.recipient));
      await until(async () => missing().length === 0, { withinMs: 60_000 }).catch(() => undefined);
      expect(missing().map(({ field, payload }) => `${field.name}: ${JSON.stringify(payload)}`)).toEqual([]);
      const messages = readByPython(sent.map((one) => received(one.recipient) as Buffer));
      const controls = new Map(
        sent
          .map((one, i) => [one, i] as const)
          .filter(([one]) => one.payload === '')
          .map(([one, i]) => [one.field, namesOf(messages[i])]),
      );
      sent.forEach(({ field, payload, value }, i) => {
        const what = `${field.name}: ${JSON.stringify(payload)}`;
        expect(namesOf(messages[i]), what).toEqual(controls.get(field));
        if (field.read) expect(field.read(messages[i]), what).toBe((value as string).trim());
      });
      const refused = cases.filter((one) => one.answer?.status === 400).length;
      console.log(
        `${cases.length} mails: ${refused} refused, ${sent.length} read at the receiving server, ${cases.length - refused - sent.length} scheduled or sandboxed`,
      );
      for (const field of FIELDS)
        expect(cases.find((one) => one.field === field && one.payload === '')?.answer?.status, field.name).toBe(201);
      for (const one of cases)
        if (typeof one.payload !== 'string' && !/header name|tag key/.test(one.field.name))
          expect(one.answer?.status).toBe(400);
      expect(mx.accepted.flatMap((one) => one.recipients).filter((address) => address.includes('attacker'))).toEqual(
        [],
      );
    },
  );

  it('cannot set a header of the service, in any spelling', async () => {
    const spellings = RESERVED.flatMap(spelled);
    for (let from = 0; from < spellings.length; from += 50) {
      const names = spellings.slice(from, from + 50);
      const { status, fields } = await post(
        program.mail({ headers: Object.fromEntries(names.map((name) => [name, 'x'])) }),
      );
      expect(status).toBe(400);
      const missed = names.filter((name) => !fields.includes(`headers.${name}`));
      expect(missed, 'names that were let through').toEqual([]);
    }
    expect(spellings.length).toBeGreaterThan(300);
  });

  it.skipIf(!hasPython())('leave header fields that must be unique unique', async () => {
    const recipient = `singletons@${DOMAIN}`;
    const headers = { Precedence: 'bulk', 'X-From': 'a', 'In-Reply-To': '<a@b.test>', References: '<a@b.test>' };
    expect((await post(program.mail({ to: recipient, reply_to: 'r@example.com', headers }))).status).toBe(201);
    const message = await until(async () => received(recipient));
    const names = namesOf(readByPython([message])[0]);
    for (const name of ['from', 'to', 'reply-to', 'subject', 'date', 'message-id', 'mime-version', 'content-type'])
      expect(
        names.filter((found) => found === name),
        name,
      ).toHaveLength(1);
    for (const name of Object.keys(headers)) expect(names).toContain(name.toLowerCase());
  });
});

/** Whether the mail is delivered at once. */
const isSentNow = (field: Field): boolean => !['schedule', 'sandbox result'].includes(field.name);
const namesOf = (message: ReadMessage): string[] => message.headers.map(([name]) => name.toLowerCase()).sort();
const exactly = (text: string): RegExp => new RegExp(`^${text.replace(/[[\].]/g, '\\$&')}$`);

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

const RESERVED = [
  ...['From', 'To', 'Cc', 'Bcc', 'Sender', 'Subject', 'Date', 'Message-ID', 'Return-Path', 'Received', 'MIME-Version'],
  ...['Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID', 'DKIM-Signature', 'ARC-Seal'],
  ...[
    'ARC-Message-Signature',
    'ARC-Authentication-Results',
    'Authentication-Results',
    'X-Service-Tag-a',
    'X-Service-Track',
  ],
  ...['X-Service-Idempotency-Key', 'Resent-From', 'Resent-To', 'Resent-Bcc', 'Resent-Message-ID', 'Delivered-To'],
  ...['Apparently-To', 'X-Original-To'],
];
const LOOK_ALIKES: Record<string, string> = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', s: 'ѕ', t: 'ｔ', d: 'ԁ' };

function spelled(name: string): string[] {
  const similar = name.toLowerCase().replace(/[aceiostd]/, (letter) => LOOK_ALIKES[letter]);
  return [
    ...[
      name,
      name.toUpperCase(),
      name.toLowerCase(),
      [...name].map((c, i) => (i % 2 ? c.toUpperCase() : c.toLowerCase())).join(''),
    ],
    ...[`${name} `, ` ${name}`, `${name}\t`, `${name}:`, `${name}\u00a0`, `\u200b${name}`, `${name}\r\n`, similar],
  ].filter((spelling, i, all) => all.indexOf(spelling) === i);
}
