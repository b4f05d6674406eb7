import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOLDEN_REQUESTS } from '../../golden/messages/requests.js';
import { GOLDEN_SUBMISSIONS } from '../../golden/messages/submissions.js';
import { GoldenRun } from '../../support/messages/golden-run.js';
import {
  judgeWithMailauth,
  judgeWithMblaze,
  judgeWithOpendkim,
  judgeWithPython,
  judgeWithSpamAssassin,
  type PythonVerdict,
} from '../../support/judges/mail-judges.js';
import type { ReceivedMail } from '../../support/mail-servers/scripted-mx.js';

const ALL = [...GOLDEN_REQUESTS, ...GOLDEN_SUBMISSIONS];
const NAMES = ALL.map(({ name }, i) => [name, i] as const);
const isComposed = (i: number) => i < GOLDEN_REQUESTS.length;
const ONCE = ['from', 'subject', 'date', 'message-id', 'mime-version', 'content-type', 'feedback-id', 'x-postloft-ref'];
/** Header fields that an intermediary could add on top. */
const ON_TOP = [
  'From: Evil <evil@example.org>',
  'Subject: Something else',
  'Reply-To: evil@example.org',
  'Content-Type: text/html',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
];
const OUR_ADDRESS = '203.0.113.25';

/** Mails of every shape as they arrive at a server, checked with third-party programs. */
describe('golden mails', () => {
  let run: GoldenRun;
  let received: ReceivedMail[];
  let messages: Buffer[];
  let forged: Buffer[];
  let python: PythonVerdict;

  beforeAll(async () => {
    run = await GoldenRun.open();
    received = [...(await run.requested(GOLDEN_REQUESTS)), ...(await run.submitted(GOLDEN_SUBMISSIONS))];
    messages = received.map(({ content }) => content);
    forged = messages.flatMap(forgeries);
    if (judgeWithPython)
      python = await judgeWithPython({
        mails: messages,
        signed: [...messages, ...forged],
        records: run.records,
        spf: spfQuestions(received),
        zone: spfZone(run.records),
      });
  });
  afterAll(() => run?.stop());

  describe.skipIf(!judgeWithPython)('read by Python’s email', () => {
    it.each(NAMES)('%s: structure, names, texts and files are what was sent', (_name, i) => {
      const mail = python.mails[i];
      const { expected } = ALL[i];
      expect(mail.defects).toEqual([]);
      expect(mail.structure).toEqual(expected.structure);
      expect(mail.subject).toBe(expected.subject);
      if (expected.fromName !== undefined) expect(mail.fromNames).toEqual([expected.fromName]);
      if (expected.toNames) expect(mail.toNames).toEqual(expected.toNames);
      if (expected.ccNames) expect(mail.ccNames).toEqual(expected.ccNames);
      if (expected.text !== undefined) expect([expected.text, `${expected.text}\n`]).toContain(lines(mail.text));
      if (expected.html !== undefined) expect([expected.html, `${expected.html}\n`]).toContain(lines(mail.html));
      if (expected.files) expect(mail.files).toEqual(expected.files);
    });

    it.each(NAMES)('%s: each field once, CRLF only, no line over 998, seven bits if composed', (_name, i) => {
      const { counts, longest, bareEnds, endsWithCrlf, eightBit, date } = python.mails[i];
      for (const name of ONCE) expect([name, counts[name]]).toEqual([name, 1]);
      for (const [name, count] of Object.entries(counts)) expect([name, count <= 1]).toEqual([name, true]);
      expect({ longest: longest <= 998, bareEnds, endsWithCrlf }).toEqual({
        longest: true,
        bareEnds: 0,
        endsWithCrlf: true,
      });
      if (!isComposed(i)) return;
      expect(eightBit).toBe(false);
      expect(received[i].parameters).not.toMatch(/8BITMIME|SMTPUTF8/);
      expect(Math.abs(Date.parse(date ?? '') - received[i].at)).toBeLessThan(60_000);
    });

    it.each(GOLDEN_SUBMISSIONS.map(({ name, raw }) => [name, raw] as const))(
      '%s: what a client submitted arrives octet for octet below its header block',
      (name, raw) => {
        const i = ALL.findIndex((mail) => mail.name === name);
        const body = raw.subarray(raw.indexOf('\r\n\r\n') + 4);
        expect(Buffer.from(python.mails[i].body, 'base64').equals(body)).toBe(true);
        const head = raw.toString('latin1', 0, raw.indexOf('\r\n\r\n'));
        const kept = head.split(/\r\n(?![ \t])/).filter((field) => !/^(?:X-Service-|Feedback-ID:)/i.test(field));
        for (const field of kept) expect(messages[i].toString('latin1')).toContain(`\r\n${field}\r\n`);
      },
    );

    it('the fields that we add say which mail it is, and how to leave the list', () => {
      const fieldsOf = (name: string) => new Map(python.mails[ALL.findIndex((mail) => mail.name === name)].headers);
      expect(fieldsOf('text only').get('Feedback-ID')).toMatch(/^[0-9a-f]{12}:[0-9a-f]{12}:postloft$/);
      expect(fieldsOf('headers of its own').get('Feedback-ID')).toMatch(
        /^spring_sale:[0-9a-f]{12}:[0-9a-f]{12}:postloft$/,
      );
      // The feedback loop tells senders apart by its last part, so a field of the customer is replaced.
      expect(fieldsOf('fields of its own').get('Feedback-ID')).toMatch(/^[0-9a-f]{12}:[0-9a-f]{12}:postloft$/);
      expect(fieldsOf('text only').get('X-Postloft-Ref')).toMatch(/^[A-Za-z0-9_-]{44}$/);
      const oneClick = 'https:\\/\\/api\\.postloft\\.example\\.net\\/unsubscribe\\/[A-Za-z0-9_-]{44}';
      expect(fieldsOf('a list to leave by one click').get('List-Unsubscribe')).toMatch(
        new RegExp(`^<${oneClick}>, <mailto:stop@news\\.example\\.com\\?subject=stop>$`),
      );
      expect(fieldsOf('a link to unsubscribe at').get('List-Unsubscribe')).toMatch(new RegExp(`^<${oneClick}>$`));
      for (const name of ['a list to leave by one click', 'a link to unsubscribe at', 'a list with a link of its own'])
        expect(fieldsOf(name).get('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    });
  });

  it.skipIf(!judgeWithMblaze)('mblaze sees the same parts, names, subjects and files', async () => {
    const readings = (await judgeWithMblaze?.(messages)) ?? [];
    readings.forEach((reading, i) => {
      const { expected, name } = ALL[i];
      const seen = {
        name,
        structure: reading.structure,
        subject: isComposed(i) ? reading.subject : spaced(reading.subject),
        files: reading.filenames,
      };
      const files = expected.files?.map(({ filename }) => filename) ?? [];
      expect(seen).toEqual({
        name,
        structure: expected.structure,
        subject: isComposed(i) ? expected.subject : spaced(expected.subject),
        files,
      });
      if (expected.fromName) expect(unquoted(reading.from)).toContain(expected.fromName);
    });
  });

  it.skipIf(!judgeWithPython)('dkimpy verifies both signatures of each, and none of a forged copy', () => {
    expect(python.dkim.slice(0, messages.length)).toEqual(messages.map(() => [true, true]));
    expect(new Set(python.dkim.slice(messages.length).flat())).toEqual(new Set([false]));
  });

  it.skipIf(!judgeWithOpendkim)('OpenDKIM verifies each, and no forged copy', async () => {
    const codes = (await judgeWithOpendkim?.([...messages, ...forged], run.records)) ?? [];
    expect(codes.slice(0, messages.length)).toEqual(messages.map(() => 0));
    expect(codes.slice(messages.length).filter((code) => code === 0)).toEqual([]);
    expect(codes).toHaveLength(messages.length + forged.length);
  });

  it('mailauth verifies both signatures of each, and none of a forged copy', async () => {
    for (const message of messages) expect(await judgeWithMailauth(message, run.records)).toEqual(['pass', 'pass']);
    for (const message of forged) expect(await judgeWithMailauth(message, run.records)).not.toContain('pass');
  });

  it.skipIf(!judgeWithPython)('pyspf passes our address, and fails another', () => {
    expect(python.spf).toEqual(['pass', 'fail', 'pass', 'softfail']);
  });

  it.skipIf(!judgeWithSpamAssassin)(
    'SpamAssassin finds nothing wrong with their form',
    { timeout: 120_000 },
    async () => {
      const scores = (await judgeWithSpamAssassin?.(messages)) ?? [];
      expect(scores).toHaveLength(messages.length);
      const bad = scores.flatMap(({ score, rules }, i) =>
        score - aboutContent(ALL[i], rules) >= 1 || rules.some((rule) => isAboutForm(rule, ALL[i]))
          ? [{ name: ALL[i].name, score, rules }]
          : [],
      );
      expect(bad).toEqual([]);
    },
  );
});

/** Modified copies, on which no signature may verify. */
function forgeries(message: Buffer): Buffer[] {
  const changed = Buffer.from(message);
  const bodyAt = changed.indexOf('\r\n\r\n') + 4;
  const at = changed.subarray(bodyAt).findIndex((octet) => octet > 0x20);
  if (at >= 0) changed[bodyAt + at] ^= 1;
  const body = at >= 0 ? changed : Buffer.concat([message, Buffer.from('x\r\n')]);
  return [body, ...ON_TOP.map((field) => Buffer.concat([Buffer.from(`${field}\r\n`), message]))];
}

/** The SPF records of the operator and of the sending domain. */
function spfZone(records: Record<string, string>): Record<string, string[]> {
  const sender = Object.entries(records).filter(([, value]) => value.startsWith('v=spf1'));
  return {
    'spf.postloft.test': [`v=spf1 ip4:${OUR_ADDRESS} -all`],
    'bounces.postloft.test': ['v=spf1 include:spf.postloft.test -all'],
    ...Object.fromEntries(sender.map(([name, value]) => [name, [value]])),
  };
}

function spfQuestions([{ mailFrom }]: ReceivedMail[]) {
  const helo = 'smtp.postloft.test';
  return [mailFrom, 'news@news.example.com'].flatMap((sender) =>
    [OUR_ADDRESS, '198.51.100.7'].map((ip) => ({ ip, sender, helo })),
  );
}

const lines = (text: string | null) => text?.replace(/\r\n/g, '\n');

/** mblaze prints a quoted name with its backslashes. */
const unquoted = (field: string) => field.replace(/\\(.)/g, '$1');

type Golden = (typeof ALL)[number];

/** The score of a mail without any text, which is valid nevertheless. */
const EMPTY_SCORE = 2.2;
const aboutContent = ({ name }: Golden, rules: string[]) =>
  name.startsWith('an empty') && rules.includes('EMPTY_MESSAGE') ? EMPTY_SCORE : 0;

/** HTML without a text part is the caller's choice, not a defect of the composer. */
const isAboutForm = (rule: string, { expected }: Golden) =>
  /^(MIME|MISSING|INVALID)_/.test(rule) && (rule !== 'MIME_HTML_ONLY' || expected.structure.includes('text/plain'));

/** mblaze also collapses white space in unencoded fields. */
const spaced = (field: string) => field.replace(/\s+/g, ' ');
