import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LenientSink, type LenientMail } from './lenient-sink.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { FALSE_ENDS, smuggled } from './smuggling.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const DOMAIN = 'smuggle-mails.test';
const VICTIM = `victim@${DOMAIN}`;
const ends = Object.entries(FALSE_ENDS);
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

/** SMTP smuggling: two servers disagree about the end of a message. Tested at submission and at delivery. */
describe('a mail that contains a false end', () => {
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let sink: LenientSink;
  let sent = 0;

  beforeAll(async () => {
    network = await MailNetwork.open('inbound', [DOMAIN]);
    program = network.sender;
    const address = network.nextAddress();
    sink = await LenientSink.start({ host: address, port: network.mxPort });
    network.route(DOMAIN, address);
  });
  afterAll(async () => {
    await sink?.close();
    await network?.close();
  });

  const nextRecipient = () => `reader${++sent}@${DOMAIN}`;
  const mailsTo = (address: string): LenientMail[] =>
    sink.mails.filter(({ recipients }) => recipients.includes(address));

  /** Each accepted mail arrived once, nothing else did, and there are no bare CR or LF. */
  const expectOneEach = async (accepted: string[]): Promise<void> => {
    await until(async () => accepted.every((address) => mailsTo(address).length > 0), {
      what: 'all mails',
      withinMs: 30_000,
    });
    expect(accepted.filter((address) => mailsTo(address).length !== 1)).toEqual([]);
    expect(mailsTo(VICTIM)).toEqual([]);
    expect(sink.mails.every(({ recipients }) => recipients.every((address) => /^reader\d+@/.test(address)))).toBe(true);
    expect(sink.strange).toEqual([]);
    expect(sink.received.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/);
  };

  describe('over SMTP', () => {
    const submit = async (talk: SmtpTalk, pieces: Buffer[], to: string): Promise<string> => {
      await talk.say(`MAIL FROM:<${program.from}>`);
      await talk.say(`RCPT TO:<${to}>`);
      await talk.say('DATA');
      for (const piece of pieces) {
        talk.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const [reply] = await talk.reply();
      // The replies of a second transaction would come before this one.
      expect(await talk.say('NOOP')).toMatch(/^250 2\.0\.0 OK/);
      return reply;
    };
    const message = (end: string): Buffer =>
      Buffer.from(`From: ${program.from}\r\nSubject: one\r\n\r\n${smuggled(end, VICTIM)}\r\n.\r\n`, 'latin1');

    /** In one segment, octet by octet, and in two segments split at every position in and around the false end. */
    const cuts = (octets: Buffer, end: string): Buffer[][] => {
      const at = octets.indexOf(Buffer.from(end, 'latin1'));
      const places = Array.from({ length: end.length + 3 }, (_, i) => at - 1 + i);
      const halves = places.map((place) => [octets.subarray(0, place), octets.subarray(place)]);
      return [[octets], Array.from(octets, (octet) => Buffer.of(octet)), ...halves];
    };

    it('is one mail or none, whatever stands for its end and however it is cut', async () => {
      const accepted: string[] = [];
      let tried = 0;
      await Promise.all(
        ends.map(async ([, end]) => {
          const talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
          for (const pieces of cuts(message(end), end)) {
            const to = nextRecipient();
            const reply = await submit(talk, pieces, to);
            expect(reply).toMatch(
              /\r|\0/.test(end.replaceAll('\r\n', '')) ? /^554 5\.6\.0 / : /^250 2\.0\.0 queued as em_/,
            );
            if (reply.startsWith('250')) accepted.push(to);
            tried++;
          }
          talk.close();
        }),
      );
      await expectOneEach(accepted);
      console.log(`${tried} submissions, ${accepted.length} accepted, each of them one mail`);
    });
  });

  describe('over REST', () => {
    const request = (fields: object) =>
      program.call('POST', '/emails', { from: program.from, subject: 'one', ...fields });
    /** A NUL is rejected everywhere, a line end in headers. */
    const texts = ends.filter(([, end]) => !end.includes('\0')).length;
    const contents: [string, taken: number, (text: string) => object][] = [
      ['text', texts, (text) => ({ text })],
      ['html', texts, (text) => ({ html: `<p>${text}</p>` })],
      ['text and html', texts, (text) => ({ text, html: text })],
      [
        'an attached text',
        texts,
        (text) => ({
          text: 'see there',
          attachments: [{ filename: 'a.txt', content: base64(text), content_type: 'text/plain' }],
        }),
      ],
      ['a header', 0, (text) => ({ text: 'x', headers: { 'X-Mine': text } })],
      ['the subject', 0, (text) => ({ text: 'x', subject: text })],
      [
        'a file name',
        0,
        (text) => ({
          text: 'x',
          attachments: [{ filename: `${text}.txt`, content: base64('x'), content_type: 'text/plain' }],
        }),
      ],
    ];

    it.each(contents)('is one mail or none in %s', async (_, taken, fields) => {
      const accepted: string[] = [];
      await Promise.all(
        ends.map(async ([, end]) => {
          const to = nextRecipient();
          const { status } = await request({ to, ...fields(smuggled(end, VICTIM)) });
          expect([201, 400, 422]).toContain(status);
          if (status === 201) accepted.push(to);
        }),
      );
      expect(accepted).toHaveLength(taken);
      await expectOneEach(accepted);
    });
  });
});
