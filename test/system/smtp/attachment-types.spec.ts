import { createTransport, type SendMailOptions } from 'nodemailer';
import { beforeAll, describe, expect, it } from 'vitest';
import { capturedMessage } from '../../support/services/captured.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';

const FORWARDED = [
  'From: Ada <ada@example.net>',
  'To: shop@example.com',
  'Subject: Question',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  'Is it ready? Größe L',
  '',
];
const forwarding = (file: string) =>
  [
    ...FORWARDED.slice(0, 4),
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    `Content-Disposition: attachment; filename=${file}`,
    '',
    'echo',
    '--b--',
    '',
  ].join('\r\n');

interface TypedFile {
  filename: string;
  content: string;
  contentType: string;
}
/** Name, content and type of files that are refused by default, and what the message must contain. */
const FILES: [what: string, file: TypedFile, shown: RegExp][] = [
  [
    'a calendar invitation',
    {
      filename: 'invite.ics',
      content: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n',
      contentType: 'text/calendar; charset=utf-8; method=REQUEST',
    },
    /Content-Type: text\/calendar;[^]{0,80}method=REQUEST/i,
  ],
  [
    'an XML invoice',
    { filename: 'invoice.xml', content: '<?xml version="1.0"?><Invoice/>', contentType: 'application/xml' },
    /Content-Type: application\/xml;/i,
  ],
  [
    'JSON',
    { filename: 'order.json', content: '{"order":7}', contentType: 'application/json' },
    /Content-Type: application\/json;/i,
  ],
  [
    'a forwarded message',
    { filename: 'question.eml', content: FORWARDED.join('\r\n'), contentType: 'message/rfc822' },
    /Content-Type: message\/rfc822;[^]{0,200}\r\n\r\n(?:.*\r\n)*Subject: Question[^]*Is it ready\?/i,
  ],
];

/** On the service whose setting allows the types of `FILES`. */
let program: ServiceAccount;
beforeAll(async () => {
  program = await openAccount('smtp');
});

const body = (attachments: object[]) => ({
  from: program.from,
  to: 'ada@example.net',
  subject: 'Files',
  text: 'See',
  attachments,
});
const inRest = ({ filename, content, contentType }: TypedFile, named = true) => ({
  filename,
  content: Buffer.from(content).toString('base64'),
  ...(named ? { content_type: contentType } : {}),
});

/** The captured message as it would have been sent. */
const capturedOf = async (id: string) => (await capturedMessage(program, id)).toString();

async function submit(message: SendMailOptions): Promise<string> {
  const { port, ...options } = { port: program.ports.smtp, host: '127.0.0.1', tls: { rejectUnauthorized: false } };
  const transport = createTransport({ ...options, port, auth: { user: program.from, pass: program.key } });
  const { response } = await transport.sendMail({ from: program.from, to: 'ada@example.net', text: 'See', ...message });
  return /queued as (em_\w+)/.exec(response)?.[1] ?? expect.fail(response);
}

describe('with ATTACHMENT_TYPES', () => {
  it.each(FILES)('%s is sent over REST', async (_what, file, shown) => {
    const answer = await program.call('POST', '/emails', body([inRest(file)]));
    const { id } = (await answer.json()) as { id: string };
    expect(answer.status).toBe(201);
    const message = await capturedOf(id);
    expect(message).toMatch(shown);
    expect(message).toContain(file.filename);
  });

  it.each(FILES)('%s needs no type if its name has an extension', async (_what, file) => {
    expect((await program.call('POST', '/emails', body([inRest(file, false)]))).status).toBe(201);
  });

  it.each(FILES)('%s is sent over SMTP', async (_what, file, shown) => {
    const id = await submit({ subject: 'Files', attachments: [file] });
    const message = await capturedOf(id);
    expect(message).toMatch(shown);
  });

  it.each([
    ['another type', { filename: 'a.md', content: '# A', contentType: 'text/markdown' }, 'type_not_allowed'],
    ['a script', { filename: 'a.sh', content: 'echo', contentType: 'application/json' }, 'executable'],
    ['a program', { filename: 'a.json', content: 'MZ\x90', contentType: 'application/json' }, 'executable'],
    [
      'a forwarded message with a script',
      { filename: 'a.eml', content: forwarding('a.sh'), contentType: 'message/rfc822' },
      'executable',
    ],
  ])('%s is refused', async (_what, file, code) => {
    const answer = await program.call('POST', '/emails', body([inRest(file)]));
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { name: 'invalid_attachment', details: [{ code }] },
    ]);
    await expect(submit({ subject: 'Files', attachments: [file] })).rejects.toThrow(/5\d\d 5\.[67]\.\d/);
  });
});
