import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GoldenRequest } from '../golden/messages/golden-mail.js';
import { GoldenRun } from '../support/messages/golden-run.js';
import {
  decodeByMblaze,
  judgeWithMailauth,
  judgeWithOpendkim,
  judgeWithPython,
  type PythonReading,
} from '../support/judges/mail-judges.js';
import { RandomText } from './random-text.js';
import { randomNumbers } from '../support/samples/random-numbers.js';

const MAILS = 500;
const HEADS = 2_000;
const SIGNED = 1_000;
const IDS = 100_000;
const BATCH = 100;
const BATCHES_AT_ONCE = 4;
const ONCE = ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type', 'feedback-id'];

/** Random messages in large numbers. */
describe('mails by the thousand', () => {
  let run: GoldenRun;
  beforeAll(async () => {
    run = await GoldenRun.start();
  });
  afterAll(() => run?.stop());

  it.skipIf(!judgeWithPython)(`${MAILS} mails of random texts and files arrive as they were given`, async () => {
    const random = new RandomText(randomNumbers(1));
    const mails = Array.from({ length: MAILS }, (_, i) => randomMail(random, i));
    const messages = (await run.requested(mails)).map(({ content }) => content);
    const verdict = await judgeWithPython?.({ mails: messages });
    const wrong = verdict?.mails.flatMap((reading, i) => differences(reading, mails[i]));
    expect(wrong).toEqual([]);
  });

  it.skipIf(!judgeWithPython || !decodeByMblaze)(
    `${HEADS} random subjects and names round trip, and ${SIGNED} of the mails verify`,
    async () => {
      const random = new RandomText(randomNumbers(2));
      const heads = Array.from({ length: HEADS }, () => ({
        subject: random.line(200),
        name: random.line(60).replace(/ +/g, ' '),
      }));
      const mails = heads.map(({ subject, name }, i) => headMail(subject, name, i));
      const messages = (await run.requested(mails)).map(({ content }) => content);

      const signed = messages.slice(0, SIGNED);
      const forged = signed.map(forgery);
      const { records } = run;
      const python = await judgeWithPython?.({ mails: messages, signed: [...signed, ...forged], records });
      expect(python?.mails.filter(({ defects }) => defects.length > 0)).toEqual([]);
      const wrong = heads.filter(({ subject, name }, i) => {
        const reading = python?.mails[i];
        return reading?.subject !== subject || !spellingsOf(name).includes(reading.fromField);
      });
      expect(wrong).toEqual([]);
      expect(await decodeByMblaze?.('subject', messages)).toEqual(heads.map(({ subject }) => subject));

      expect(new Set(python?.dkim.slice(0, SIGNED).map(String))).toEqual(new Set(['true,true']));
      expect(new Set(python?.dkim.slice(SIGNED).flat())).toEqual(new Set([false]));
      for (const message of signed) expect(await judgeWithMailauth(message, records)).toEqual(['pass', 'pass']);
      for (const message of forged) expect(await judgeWithMailauth(message, records)).not.toContain('pass');
      const codes = await judgeWithOpendkim?.([...signed, ...forged], records);
      if (codes)
        expect(codes.map((code) => code === 0)).toEqual([...signed.map(() => true), ...forged.map(() => false)]);
    },
  );

  it(`${IDS} mails have as many message ids`, async () => {
    // Scheduled, so that none of them is delivered meanwhile.
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const mail = { from: 'news@news.example.com', to: 'ada@recipients.test', subject: 's', text: 't', scheduled_at };
    const body = JSON.stringify(Array.from({ length: BATCH }, () => mail));
    for (let sent = 0; sent < IDS; sent += BATCH * BATCHES_AT_ONCE)
      await Promise.all(
        Array.from({ length: BATCHES_AT_ONCE }, async () => {
          const { status } = await run.sender.call('POST', '/emails/batch', body);
          if (status !== 201) throw new Error(`a batch was answered ${status}`);
        }),
      );
    const ids = new Set<string>();
    let seen = 0;
    for (let after: string | null = ''; after !== null;) {
      const query = `/emails?scheduled=true&limit=100${after && `&after=${after}`}`;
      const page = (await (await run.sender.call('GET', query)).json()) as {
        data: { message_id: string }[];
        next_cursor: string | null;
      };
      for (const { message_id } of page.data) ids.add(message_id);
      seen += page.data.length;
      after = page.next_cursor;
    }
    expect([seen, ids.size]).toEqual([IDS, IDS]);
    expect([...ids].filter((id) => !/^<[0-9a-f]{32}@news\.example\.com>$/.test(id))).toEqual([]);
  });
});

function randomMail(random: RandomText, i: number): GoldenRequest {
  const kind = i % 3;
  // An empty text beside HTML is omitted.
  const text = kind === 1 ? undefined : `${random.body()}.`;
  const html = kind === 0 ? undefined : `<p>${random.body().replace(/[&<>]/g, '')}</p>`;
  const files = Array.from({ length: i % 4 === 0 ? random.number(1, 4) : 0 }, (_, n) => ({
    filename: `${n} ${random.line(40).replace(/[/\\=?:*"<>|.]|\p{C}/gu, '')}.pdf`.replace(/\s+/g, ' '),
    content: Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      Buffer.from(Array.from({ length: random.number(0, 5_000) }, () => random.number(0, 255))),
      Buffer.from('\n%%EOF\n'),
    ]),
  }));
  const subject = random.line(100);
  const leaves = [...(text === undefined ? [] : ['text/plain']), ...(html === undefined ? [] : ['text/html'])];
  const body = leaves.length > 1 ? ['multipart/alternative', ...leaves] : leaves;
  const structure = files.length > 0 ? ['multipart/mixed', ...body, ...files.map(() => 'application/pdf')] : body;
  const attachments = files.map((file) => ({ ...file, content: file.content.toString('base64') }));
  const parts = { ...(text === undefined ? {} : { text }), ...(html === undefined ? {} : { html }) };
  return {
    name: `random mail ${i}`,
    body: { from: 'news@news.example.com', subject, ...parts, attachments },
    expected: {
      structure,
      subject,
      ...parts,
      files: files.map(({ filename, content }) => ({
        filename,
        sha256: createHash('sha256').update(content).digest('hex'),
      })),
    },
  };
}

function headMail(subject: string, name: string, i: number): GoldenRequest {
  const from = `${quotedName(name)} <news@news.example.com>`;
  return {
    name: `random head ${i}`,
    body: { from, subject, text: `Mail ${i}.\n` },
    expected: { structure: ['text/plain'], subject, fromName: name },
  };
}

function differences(reading: PythonReading, { name, expected }: GoldenRequest): object[] {
  const lines = (text: string | null | undefined) => text?.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const seen = {
    defects: reading.defects,
    structure: reading.structure,
    subject: reading.subject,
    text: lines(reading.text),
    html: lines(reading.html),
    files: reading.files,
    once: ONCE.filter((field) => reading.counts[field] !== 1),
    sound: reading.longest <= 998 && reading.bareEnds === 0 && reading.endsWithCrlf && !reading.eightBit,
  };
  const wanted = {
    defects: [],
    structure: expected.structure,
    subject: expected.subject,
    text: lines(expected.text),
    html: lines(expected.html),
    files: expected.files,
    once: [],
    sound: true,
  };
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [is, shouldBe] = [seen[member as keyof typeof seen], value].map((one) => JSON.stringify(one) ?? '');
    const at = [...is].findIndex((_, i) => is[i] !== shouldBe[i]);
    return is === shouldBe ? [] : [{ name, member, at, is: shownAt(is, at), shouldBe: shownAt(shouldBe, at) }];
  });
}

/** The text around the first difference. */
const shownAt = (text: string, at: number) => text.slice(Math.max(0, at - 40), at + 40);

const ON_TOP = ['From: e@example.org', 'Subject: other', 'Reply-To: e@example.org', 'Content-Type: text/html'];

/** Modifies each copy in another way; none may verify. */
function forgery(message: Buffer, i: number): Buffer {
  const field = ON_TOP[i % (ON_TOP.length + 1)] as string | undefined;
  if (field !== undefined) return Buffer.concat([Buffer.from(`${field}\r\n`), message]);
  const changed = Buffer.from(message);
  changed[message.indexOf('\r\n\r\n') + 4] ^= 1;
  return changed;
}

/** A name that needs no encoded word may stand in quotes. */
const spellingsOf = (name: string) => [name, quotedName(name)].map((spelling) => `${spelling} <news@news.example.com>`);

const quotedName = (name: string) => `"${name.replace(/["\\]/g, '\\$&')}"`;
