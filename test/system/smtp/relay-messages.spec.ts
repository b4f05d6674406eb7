import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomMessage, SENDER_DOMAIN, type RandomMessage } from './random-messages.js';
import { RelayFixture } from '../../support/smtp/relay-fixture.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { zipFile } from '../../support/samples/zip-file.js';

const MESSAGES = 120;
const SESSIONS = 6;
const LIMIT = 10_485_760;
const DOMAIN = 'relay-messages.test';
const PDF = '%PDF-1.4\n%%EOF\n';
/** Header fields that the service prepends. */
const OURS = /^(?:(?:DKIM-Signature|Feedback-ID|X-Postloft-Ref|Received): [^]*?\r\n(?![ \t]))+/;
const ADDED = /^(?:Message-ID: <[^\r\n]+>\r\n)?(?:Date: [^\r\n]+\r\n)?$/;

/** Compares submitted messages with received ones, octet by octet. */
describe('messages of the relay', () => {
  let fixture: RelayFixture;
  const talks: SmtpTalk[] = [];

  beforeAll(async () => {
    fixture = await RelayFixture.open([DOMAIN], { domain: SENDER_DOMAIN });
    const { ports, key } = fixture.sender;
    for (let i = 0; i < SESSIONS; i += 1) talks.push(await SmtpTalk.loggedIn(ports.smtps, fixture.sender.from, key));
  });
  afterAll(async () => {
    for (const talk of talks) talk.close();
    await fixture?.stop();
  });

  async function submit(message: Buffer | string, recipient: string, talk = talks[0]): Promise<string> {
    await talk.say(`MAIL FROM:<${fixture.sender.from}> BODY=8BITMIME SMTPUTF8`);
    await talk.say(`RCPT TO:<${recipient}>`);
    const go = await talk.say('DATA');
    if (!go.startsWith('354')) throw new Error(go);
    const octets = typeof message === 'string' ? message : message.toString('latin1');
    const stuffed = octets.replace(/^\./, '..').replace(/\n\./g, '\n..');
    talk.write(Buffer.from(`${stuffed}${octets.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1'));
    return (await talk.reply()).join('\n');
  }

  it(`${MESSAGES} of all kinds arrive octet for octet, except for removed and added fields`, async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
    const messages = fc.sample(randomMessage, { numRuns: MESSAGES, seed });
    const made = messages.map((make, i) => ({
      recipient: `exact-${i}@${DOMAIN}`,
      ...make(`exact-${i}@${DOMAIN}`),
    }));
    const send = async (talk: SmtpTalk, start: number) => {
      for (const { submitted, recipient } of made.filter((_, i) => i % SESSIONS === start))
        expect(await submit(submitted, recipient, talk), `seed ${seed}: ${submitted.toString()}`).toMatch(/^250 /);
    };
    await Promise.all(talks.map(send));
    for (const one of made) {
      const { content } = await fixture.arrived(one.recipient);
      expect(strange(content, one), `seed ${seed}, ${one.recipient}: ${content.toString('latin1')}`).toBeNull();
    }
  });

  it('a scheduled message without a date gets the date of its release', async () => {
    const release = new Date(Math.ceil(Date.now() / 1000) * 1000 + 4_000);
    const head = `From: ${fixture.sender.from}\r\nX-Service-Scheduled-At: ${release.toISOString()}\r\nSubject: later\r\n`;
    expect(await submit(`${head}\r\nlater\r\n`, `later@${DOMAIN}`)).toMatch(/^250 /);
    const { content } = await fixture.arrived(`later@${DOMAIN}`);
    const [, date] = /\r\nDate: ([^\r\n]+)\r\n/.exec(content.toString()) ?? [];
    expect(new Date(date)).toEqual(release);
  });

  it('an S/MIME signature stays valid', async ({ skip }) => {
    if (spawnSync('openssl', ['version']).status !== 0) skip('openssl is not here');
    fixture.write('letter.txt', 'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n.\r\n');
    const openssl = (...args: string[]) => fixture.run('openssl', args);
    await openssl(...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop -keyout k.pem -out c.pem'.split(' '));
    const head = ['-from', fixture.sender.from, '-to', `signed@${DOMAIN}`, '-subject', 'signed'];
    await openssl(...'smime -sign -in letter.txt -signer c.pem -inkey k.pem -out signed.eml'.split(' '), ...head);
    await fixture.run('sh', ['-c', 'grep -q "filename=\\"smime.p7s\\"" signed.eml']);
    expect(await submit(readFileSync(`${fixture.folder}/signed.eml`), `signed@${DOMAIN}`)).toMatch(/^250 2\.0\.0 /);
    fixture.write('arrived.eml', (await fixture.arrived(`signed@${DOMAIN}`)).content);
    const verdict = await openssl(...'smime -verify -noverify -in arrived.eml -certfile c.pem'.split(' '));
    expect(verdict).toMatch(/Verification successful/);
  });

  it('as many octets as SIZE allows are accepted, whatever is added to them; one more is not', async () => {
    const large = (octets: number) => {
      const head = `From: ${fixture.sender.from}\r\nSubject: large\r\n\r\n`;
      const lines = `${'x'.repeat(76)}\n`.repeat((octets - head.length) / 77 - 1);
      return `${head}${lines}${'x'.repeat(octets - head.length - lines.length - 2)}\r\n`;
    };
    expect(await submit(large(LIMIT), `large@${DOMAIN}`)).toMatch(/^250 2\.0\.0 queued as em_/);
    expect(await submit(large(LIMIT + 1), `larger@${DOMAIN}`)).toMatch(/^552 5\.3\.4 /);
    expect((await fixture.arrived(`large@${DOMAIN}`)).content.length).toBeGreaterThan(LIMIT);
  });

  const part = (head: string[], content: string | Buffer, encoding: 'base64' | '8bit' = 'base64') => [
    ...head,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    encoding === 'base64' ? Buffer.from(content as string, 'latin1').toString('base64') : content.toString(),
  ];
  const file = (name: string, type: string, content: string | Buffer = PDF) =>
    part([`Content-Type: ${type}`, `Content-Disposition: attachment; filename="${name}"`], content);
  const mixed = (...parts: string[][]) =>
    [
      `From: ${fixture.sender.from}`,
      'Subject: files',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...[['', 'text'], ...parts].flatMap((lines) => ['--b', ...lines]),
      '--b--',
      '',
    ].join('\r\n');

  const officeDocument = (folder: string) =>
    zipFile([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: `${folder}/document.xml`, content: '<d/>' },
    ]);

  it.each([
    ['PDF', [file('a.pdf', 'application/pdf')]],
    ['PNG, as an inline picture', [part(['Content-Type: image/png; name=a.png'], '\x89PNG\r\n\x1a\n')]],
    ['JPEG', [file('a.jpeg', 'image/jpeg', '\xff\xd8\xff\xe0')]],
    ['GIF', [file('a.gif', 'image/gif', 'GIF89a')]],
    ['WebP', [file('a.webp', 'image/webp', 'RIFF1234WEBPVP8 ')]],
    ['TXT', [file('a.txt', 'text/plain', 'text')]],
    ['CSV', [file('a.csv', 'text/csv', 'a;b')]],
    ['XLSX', [file('a.xlsx', 'application/octet-stream', officeDocument('xl'))]],
    ['DOCX', [file('a.docx', 'application/octet-stream', officeDocument('word'))]],
    ['ZIP', [file('a.zip', 'application/x-zip-compressed', zipFile(['a.txt']))]],
    ['ten files', Array.from({ length: 10 }, (_, i) => file(`${i}.pdf`, 'application/pdf'))],
    ['a calendar', [['Content-Type: text/calendar; method=REQUEST', '', 'BEGIN:VCALENDAR']]],
    ['a forwarded mail', [['Content-Type: message/rfc822', '', 'Subject: inner', '', 'text']]],
  ])('%s: accepted', async (_what, parts) => {
    expect(await submit(mixed(...parts), `files@${DOMAIN}`)).toMatch(/^250 2\.0\.0 queued as em_/);
  });

  it.each([
    ['an executable', [file('setup.exe', 'application/pdf')], '"setup.exe": must not be an executable file'],
    ['a shell script', [file('run.sh', 'text/plain', 'echo')], '"run.sh": must not be an executable file'],
    [
      'a program under another name',
      [file('a.pdf', 'application/pdf', 'MZ')],
      '"a.pdf": must not be an executable file',
    ],
    [
      'an executable in a ZIP',
      [file('a.zip', 'application/zip', zipFile(['a.exe']))],
      '"a.zip": must not contain an exec',
    ],
    ['a page', [file('a.html', 'text/html', '<p>')], '"a.html": must be one of application/pdf, '],
    ['a name that goes up', [file('../a.pdf', 'application/pdf')], '"../a.pdf": must be a file name'],
    [
      'a second name',
      [part(["Content-Disposition: attachment; filename=a.bat; filename*=utf-8''a.txt"], 'x')],
      '"a.txt": ',
    ],
    [
      'the eleventh',
      Array.from({ length: 11 }, (_, i) => file(`${i}.pdf`, 'application/pdf')),
      '"10.pdf": is one too many',
    ],
    [
      'one of a forwarded mail',
      [['Content-Type: message/rfc822', '', ...file('a.exe', 'a/b')]],
      '"a.exe": must not be',
    ],
    [
      'a forwarded mail with a name',
      [['Content-Type: message/rfc822; name=a.eml', '', 'A: b', '', 'x']],
      '"a.eml": must',
    ],
  ])('%s: refused, and the file is named', async (_what, parts, words) => {
    const reply = await submit(mixed(...parts), `files@${DOMAIN}`);
    expect(reply).toContain(`554 5.7.1 An attachment is not allowed. ${words}`);
    expect(reply.length).toBeLessThan(510);
  });

  it('ignored control headers are named in the reply', async () => {
    const head = `From: ${fixture.sender.from}\r\nX-Service-Colour: red\r\nX-Service-Shedule: tomorrow\r\n`;
    expect(await submit(`${head}\r\ntext\r\n`, `ignored@${DOMAIN}`)).toMatch(
      /^250 2\.0\.0 queued as em_[0-9a-f]{32} \(ignored: X-Service-Colour, X-Service-Shedule\)$/,
    );
    expect((await fixture.arrived(`ignored@${DOMAIN}`)).content.toString()).not.toMatch(/x-service/i);
  });
});

/** The first difference between the submitted and the received message; null if there is none. */
function strange(arrived: Buffer, { kept, body, hasDate, hasId }: RandomMessage): string | null {
  if (!arrived.subarray(-body.length).equals(body)) return 'the body is another one';
  const head = arrived.subarray(0, arrived.length - body.length).toString('latin1');
  const at = head.indexOf(kept.toString('latin1'));
  if (at < 0) return 'the fields that stay are not there as they were';
  const front = head.slice(0, at);
  if (OURS.exec(front)?.[0] !== front) return 'something else is in front';
  const added = head.slice(at + kept.length);
  if (!ADDED.test(added)) return 'something else was added';
  if (added.includes('Date:') === hasDate) return 'Date';
  return added.includes('Message-ID:') === hasId ? 'Message-ID' : null;
}
