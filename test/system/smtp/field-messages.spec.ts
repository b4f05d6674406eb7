import { readParts } from '#libs/mime';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { PDF, PNG, utf16 } from '../../support/samples/small-files.js';
import { until } from '../../support/timing/until.js';
import { capturedMessage } from '../../support/services/captured.js';

/** Messages of older and unusual programs. */
let program: ServiceAccount;
let talk: SmtpTalk;
let made = 0;

beforeAll(async () => {
  program = await openAccount('smtp');
  talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
  return () => talk.close();
});

const nextRecipient = () => `message-${(made += 1)}@example.com`;

async function relay(lines: (string | Buffer)[], to = nextRecipient(), parameters = '') {
  await talk.say(`MAIL FROM:<${program.from}>${parameters}`);
  talk.write(Buffer.from(`RCPT TO:<${to}>\r\n`));
  const rcpt = (await talk.reply()).join('\n');
  if (!rcpt.startsWith('250')) {
    await talk.say('RSET');
    return { reply: rcpt, id: undefined };
  }
  await talk.say('DATA');
  for (const line of lines) talk.write(Buffer.isBuffer(line) ? line : Buffer.from(`${line}\r\n`));
  const reply = await talk.say('.');
  const [id] = /em_[0-9a-f]{32}/.exec(reply) ?? [];
  return { reply, id };
}

const shown = async (id: string | undefined) =>
  (await (await program.call('GET', `/emails/${id}`)).json()) as {
    subject: string;
    from: string;
    text: string | null;
    recipients: unknown[];
    attachments: { filename: string; content_type: string }[];
  };
const capturedRaw = (id: string | undefined) => capturedMessage(program, id ?? '');
const head = (...fields: string[]) => [
  `From: Shop <${program.from}>`,
  'To: ada@example.com',
  'Subject: x',
  'MIME-Version: 1.0',
  ...fields,
];

describe('texts in charsets with shift states and under other labels', () => {
  it.each([
    [
      'iso-2022-jp',
      'GyRCOGZDbUo4JCIkaiQsJEgkJiQ0JDYkJCReJDkhIxsoQg0KGyRCSkA8UhsoQg==',
      '御注文ありがとうございます。\r\n弊社',
    ],
    ['"cp932"', '7uCLtJdsIIeCNQ==', '髙橋様 №5'],
    ['MS_Kanji', 'k/qWe4zq', '日本語'],
  ])('are shown: %s', async (charset, base64, text) => {
    const lines = head(`Content-Type: text/plain; charset=${charset}`, 'Content-Transfer-Encoding: base64');
    const { id } = await relay([...lines, '', base64]);
    expect((await shown(id)).text?.trim().replaceAll(/\r?\n/g, '\r\n')).toBe(text);
  });

  it.each([
    ["filename*=ISO-2022-JP''%1B$B8+%40Q%3Dq%1B%28B.pdf", '見積書.pdf'],
    ["filename*=ks_c_5601-1987'ko'%B0%DF%C0%FB%BC%AD.pdf", '견적서.pdf'],
    ["filename*=UHC''%B0%DF%C0%FB%BC%AD.pdf", '견적서.pdf'],
  ])('are shown in file names: %s', async (parameter, filename) => {
    const lines = head(
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; ${parameter}`,
      'Content-Transfer-Encoding: base64',
    );
    const { reply, id } = await relay([...lines, '', PDF.toString('base64')]);
    expect(reply).toMatch(/^250 /);
    expect((await shown(id)).attachments).toMatchObject([{ filename }]);
  });

  it('are decoded in words that name their language', async () => {
    const fields = [
      `From: Shop <${program.from}>`,
      'Subject: =?ISO-2022-JP*ja?B?GyRCQEE1YT1xGyhC?= =?cp1252*de?Q?f=FCr?=',
      '',
    ];
    const { id } = await relay([...fields, 'x']);
    expect((await shown(id)).subject).toBe('請求書für');
  });
});

describe('recipients over SMTP', () => {
  it('in another Unicode form than their suppression are refused', async () => {
    await program.call('POST', '/suppressions', { email: 'andré.옥@example.com'.normalize('NFC') });
    const { reply } = await relay([...head(), '', 'x'], 'andré.옥@example.com'.normalize('NFD'), ' SMTPUTF8');
    expect(reply).toMatch(/^550 5\.7\.1 /);
  });

  it('with quotes are found by filters in any spelling', async () => {
    const { id } = await relay([...head(), '', 'x'], '"r d"@example.com');
    const query = encodeURIComponent('"r\\ d"@EXAMPLE.COM');
    for (const path of ['/emails?to=', '/captured?to=', '/events?recipient='])
      await until(async () => {
        const { data } = (await (await program.call('GET', path + query)).json()) as {
          data: Record<string, unknown>[];
        };
        return data.some(
          (row) => row['id'] === id || row['email_id'] === id || JSON.stringify(row).includes(String(id)),
        );
      });
  });
});

describe('attachments of older programs', () => {
  it.each([
    ["application/x-pdf; name*0*=iso-8859-1''a%20; name*1*=b.pdf", 'a b.pdf', PDF],
    ['image/x-png;name=Bildschirm Foto (1).png', 'foto.png', PNG],
    ['text/x-log', 'install.log', utf16('Fertig: 100 %\r\n', 'le')],
    [
      'application/octet-stream; x-mac-type=50444620',
      'scan.pdf',
      Buffer.concat([Buffer.from(`${' '.repeat(500)}\r\n`), PDF]),
    ],
    ['application/pdf', 'run.bat.sys.2026.pdf', PDF],
  ])('are accepted: %s', async (type, name, content) => {
    const lines = head(
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
    );
    const { reply } = await relay([...lines, '', content.toString('base64').replace(/.{76}/g, '$&\r\n')]);
    expect(reply).toMatch(/^250 /);
  });
});

describe('sessions of machines with names beyond ASCII', () => {
  it('log in and send after EHLO in Latin-1', async () => {
    const session = SmtpTalk.open(program.ports.smtps);
    await session.secure();
    await session.reply();
    session.write(Buffer.from('EHLO B\xfcro-PC-M\xfcller\r\n', 'latin1'));
    expect((await session.reply()).at(-1)).toMatch(/^250 /);
    const login = Buffer.from(`\0${program.from}\0${program.key}`).toString('base64');
    expect(await session.say(`AUTH PLAIN ${login}`)).toMatch(/^235 /);
    expect(await session.say(`MAIL FROM:<${program.from}>`)).toMatch(/^250 /);
    session.close();
  });
});

describe('unsubscribe links', () => {
  const relayed = async (field: string, anchor: string) => {
    const lines = head(
      `List-Unsubscribe: ${field}`,
      'X-Service-Track: clicks',
      'Content-Type: text/html; charset=utf-8',
    );
    const { reply, id } = await relay([...lines, '', `<a href="https://shop.example/sale">Sale</a> ${anchor}`]);
    expect(reply).toMatch(/^250 /);
    return readParts(await capturedRaw(id)).html ?? '';
  };

  it.each([
    ['<https://news.shop.example/u?a=1&b=2>', '<a href="https://news.shop.example/u?a=1&#38;b=2">u</a>'],
    ['<https://news.shop.example/u/1>', "<A HREF='https://news.shop.example/u/1'>u</A>"],
    ['<https://news.shop.example/u/2>', '<a href=https://news.shop.example/u/2>u</a>'],
    ['<https://news.shop.example/u/3>', '<a href="https://news.shop.example/\n u/3">u</a>'],
    ['<https://news.shop.example./u/4>', '<a href="https://news.shop.example/u/4">u</a>'],
    [
      '=?us-ascii?Q?=3Chttps=3A//news=2Eshop=2Eexample/u=3Fid=3D0123456789?=\r\n =?us-ascii?Q?01234567890123456789=3E?=',
      '<a href="https://news.shop.example/u?id=012345678901234567890123456789">u</a>',
    ],
    ['https://news.shop.example/u/5', '<a href="https://news.shop.example/u/5">u</a>'],
    ['<https://news.shop.example/u?m=a+b%2Bc>', '<area href="https://news.shop.example/u?m=a+b%2bc">'],
  ])('in the body are not tracked: %s', async (field, anchor) => {
    const found = await relayed(field, anchor);
    expect(found.match(/\/t\/c\//g)).toHaveLength(1);
  });

  it('of the service are read with encoded letters and punctuation at the end', async () => {
    const { id } = (await (
      await program.call('POST', '/emails', program.mail({ to: nextRecipient(), list_unsubscribe: true }))
    ).json()) as { id: string };
    const raw = (await capturedRaw(id)).toString('latin1').replaceAll(/\r\n[ \t]+/g, '');
    const [, base, token] = /^List-Unsubscribe:.*<(https?:[^>]*\/unsubscribe\/)([^>]+)>/im.exec(raw) ?? [];
    const encoded = token.replace(/[A-Z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    const spellings = [token, encoded, encoded.replaceAll('%', '%25'), `${token}.`, `${token}%3E`, `${token}%0D%0A`];
    const statuses = await Promise.all(spellings.map(async (spelled) => (await fetch(base + spelled)).status));
    expect(statuses).toEqual(spellings.map(() => 200));
    const used = await fetch(`${base}${encoded}&gt;`, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(used.status).toBe(200);
    for (const wrong of [`${token}A`, `${token}%00`, '%00', '%0d%0a', '%25'])
      expect((await fetch(base + wrong)).status).toBe(404);
  });
});
