import { readParts } from '#libs/mime';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, openZones, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { CSV, JPEG, PDF, PNG, utf16, XLSX } from '../../support/samples/small-files.js';
import { until } from '../../support/timing/until.js';
import { capturedMessage } from '../../support/services/captured.js';

/** Messages and greetings as machines and programs of customers make them. */
let program: ServiceAccount;
let talk: SmtpTalk;
let made = 0;

beforeAll(async () => {
  program = await openAccount('smtp');
  talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
  return () => talk.close();
});

const nextRecipient = () => `field-${(made += 1)}@example.com`;
const bytes = (text: string) => Buffer.from(text, 'latin1');

/** The last reply, and the stored email if it was accepted. */
async function relay(message: Buffer | string, to = nextRecipient()) {
  await talk.say(`MAIL FROM:<${program.from}>`);
  await talk.say(`RCPT TO:<${to}>`);
  await talk.say('DATA');
  talk.write(Buffer.isBuffer(message) ? message : bytes(message));
  const reply = await talk.say('\r\n.');
  const [id] = /em_[0-9a-f]{32}/.exec(reply) ?? [];
  return { to, reply, id };
}

const shown = async (id: string | undefined) =>
  (await (await program.call('GET', `/emails/${id}`)).json()) as {
    subject: string;
    from: string;
    attachments: { filename: string; content_type: string }[];
  };

const capturedRaw = (id: string | undefined) => capturedMessage(program, id ?? '');

const post = async (over: Record<string, unknown>) => {
  return program.send({ to: nextRecipient(), ...over });
};

const head = (fields: string[] = []) =>
  [`From: Shop <${program.from}>`, 'To: ada@example.com', 'MIME-Version: 1.0', ...fields].join('\r\n');

describe('encoded words', () => {
  it.each([
    ['=?ISO-2022-KR?B?GyQpQw5IOEBHDyAOPkgzOw8=?= =?ISO-2022-KR?B?GyQpQw45Vw8gDkBaN2EP?=', '회의 안내및 자료'],
    ['=?iso-2022-kr?Q?=1B=24=29C=0EC=3B18=3C=2D=0F?= =?iso-2022-kr?Q?_2026?=', '청구서 2026'],
    ['=?HZ-GB-2312?Q?=7E=7B=3BaRi=7E=7D?= =?HZ-GB-2312?Q?=7E=7BM=28V=2A=7E=7D?=', '会议通知'],
    [
      '=?ISO-2022-JP?B?GyRCJCo4K0BRPXEbKEI=?= =?ISO-2022-JP?Q?=1B=24B=24N7o=1B=28B?=\r\n =?iso-2022-jp?B?GyRCJEskRCQkJEYbKEI=?=',
      'お見積書の件について',
    ],
    ['=?ISO-2022-JP?B?GyRCQEE1YT1xGyhC?= =?US-ASCII?Q?_No=2E_17?=', '請求書 No. 17'],
    ['=?ISO-2022-JP?B?GyRCRzxJSj1x?= =?ISO-2022-JP?Q?_PO-4711?=', '納品書 PO-4711'],
    ['=?UTF-7?Q?Gr=2BAPwA3w-e_?= =?UTF-7?Q?aus_K=2BAPY-ln?=', 'Grüße aus Köln'],
  ])('with shift states are decoded each on its own: %s', async (subject, text) => {
    const { id } = await relay(`${head([`Subject: ${subject}`])}\r\n\r\nx`);
    expect((await shown(id)).subject).toBe(text);
  });

  it('with shift states are decoded in names of people and files', async () => {
    const message = [
      'From: =?ISO-2022-JP?B?GyRCM3Q8MDJxPFIbKEI=?=',
      ` =?ISO-2022-JP?B?GyRCOzNFRD4mRTkbKEI=?= <${program.from}>`,
      'To: ada@example.com',
      'Subject: x',
      'MIME-Version: 1.0',
      'Content-Type: application/pdf;',
      ' name="=?ISO-2022-JP?B?GyRCOCtAURsoQg==?= =?ISO-2022-JP?B?GyRCPXEbKEIucGRm?="',
      'Content-Transfer-Encoding: base64',
      '',
      PDF.toString('base64'),
    ].join('\r\n');
    const { reply, id } = await relay(message);
    expect(reply).toMatch(/^250 /);
    const { from, attachments } = await shown(id);
    expect(from).toContain('株式会社山田商店');
    expect(attachments[0].filename).toBe('見積書.pdf');
  });

  it.each([
    ['=?MS932?B?7uCLtIdAl2w=?=', '髙橋①様'],
    ['=?UHC?B?jGO55rCix88=?=', '똠방각하'],
    ['=?x-windows-949?B?lO4=?=', '뷁'],
    ['=?CP950?B?tW+yvPnW?=', '發票碁'],
    ['=?windows-936?B?1cu1pQ==?=', '账单'],
    ['=?cp936?B?1cu1pQ==?=', '账单'],
    ['=?eucJP?B?uObAwbXhvfE=?=', '御請求書'],
    ['=?cp51949?B?sN/A+7yt?=', '견적서'],
    ['=?cp1250?B?UPjtbGmaIJ5sdZ1vdehr/Q==?=', 'Příliš žluťoučký'],
    ['=?iso8859-2?B?WmG/87PmIGfqtmyx?=', 'Zażółć gęślą'],
    ['=?iso-8859-15?B?NSCk?=', '5 €'],
  ])('with another label of a charset are decoded: %s', async (subject, text) => {
    const { id } = await relay(`${head([`Subject: ${subject}`])}\r\n\r\nx`);
    expect((await shown(id)).subject).toBe(text);
  });
});

describe('attachments over SMTP', () => {
  const withFile = (type: string, name: string, content: Buffer) =>
    [
      head(['Subject: x', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'See the file.', '--b']),
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      content.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--b--',
    ].join('\r\n');

  it.each([
    ['application/acrobat; name="scan.pdf"', 'scan.pdf', PDF],
    ['application/excel', 'orders.csv', CSV],
    ['binary/octet-stream', 'figures.xlsx', XLSX],
    ['image/jpg', 'IMG_7.JFIF', JPEG],
    ['image/x-citrix-png', 'logo.png', PNG],
    ['application/pdf', 'invoice.pdf', Buffer.concat([Buffer.from('\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'), PDF])],
    ['text/csv', 'kunden.csv', utf16('Name;Ort\r\nJörg;Köln\r\n', 'be')],
    ['application/octet-stream', 'Reservierung Booking.com.pdf', PDF],
  ])('are accepted as %s, %s', async (type, name, content) => {
    const { reply, id } = await relay(withFile(type, name, content));
    expect(reply).toMatch(/^250 /);
    expect((await shown(id)).attachments).toMatchObject([{ filename: name }]);
  });

  it('are refused as programs by their last extension', async () => {
    expect((await relay(withFile('application/pdf', 'scan.pdf.scr', PDF))).reply).toMatch(/^554 5\.7\.1 /);
  });
});

describe('greetings of machines', () => {
  it.each([
    ['Big5', Buffer.from('b971b8a32d3031', 'hex')],
    ['EUC-KR', Buffer.from('c4c4c7bbc5cd', 'hex')],
    ['KOI8-R', Buffer.from('e2f5e8e7e1ecf4e5f2e9f1', 'hex')],
    ['ISO-8859-9', Buffer.from('42dd4c47dd5341594152', 'hex')],
    ['windows-1255', Buffer.from('eee7f9e1', 'hex')],
    ['UTF-8', Buffer.from('Büro-PC')],
  ])('may have a name in %s', async (_charset, name) => {
    for (const verb of ['EHLO', 'HELO']) {
      const session = SmtpTalk.open(program.ports.smtp);
      await session.reply();
      session.write(Buffer.concat([Buffer.from(`${verb} `), name, Buffer.from('\r\n')]));
      expect((await session.reply()).at(-1)).toMatch(/^250 /);
      session.close();
    }
  });
});

describe('comments in the header', () => {
  it.each([
    ['From: Shop (Support (EU)) <FROM>'],
    ['From: FROM (=?utf-8?Q?J=C3=B6rg_M=C3=BCller?=)'],
    ['From: "Shop, Inc." (Tier 1)\r\n <FROM>'],
    ['From: (B2B) Shop <FROM> (noreply)'],
    ['From: Shop\r\n (Berlin, DE) <FROM>'],
  ])('are accepted: %s', async (field) => {
    const message = `${field.replace('FROM', program.from)}\r\nTo: Ada (Sales, EU) <ada@example.com>\r\nSubject: x\r\n\r\nx`;
    const { reply, id } = await relay(message);
    expect(reply).toMatch(/^250 /);
    expect((await shown(id)).from).toContain(program.from);
  });
});

describe('messages composed from requests', () => {
  it('have every id of a long References field in lines of at most 998 octets', async () => {
    const ids = Array.from({ length: 90 }, (_, i) => `<CAF${'x'.repeat(50)}${i}@mail.example.com>`);
    const raw = (await capturedRaw(await post({ headers: { References: ids.join(' ') } }))).toString('latin1');
    const [header] = raw.split('\r\n\r\n');
    const [, value] = /^References: ?((?:.*\r\n[ \t])*.*)/im.exec(header) ?? [];
    expect(value.trim().split(/\s+/)).toEqual(ids);
    expect(Math.max(...header.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  it.each(['image001.png@01DB2C3F.8A4E5D60', "ii_19a&b='c'", 'f_lq8z{0}|~1'])('have the content_id %s', async (id) => {
    const attachments = [{ filename: 'logo.png', content: PNG.toString('base64'), content_id: id }];
    const raw = await capturedRaw(await post({ html: `<img src="cid:${encodeURIComponent(id)}">`, attachments }));
    expect(raw.toString('latin1')).toMatch(/^Content-ID:/im);
    const [, value] = /^Content-ID:\s*<(.*)>/im.exec(raw.toString('latin1')) ?? [];
    expect(value).toBe(id);
  });

  it('keep a comment of the sender as a part of the name', async () => {
    const raw = await capturedRaw(await post({ from: `Shop (Berlin, DE) <${program.from}>` }));
    expect(raw.toString('latin1')).toMatch(/^From: .*Shop.*Berlin.*DE.*<.*>/im);
  });
});

describe('X-Service-Scheduled-At', () => {
  it.each(['+00', '-03', '+0545'])('may have the offset %s', async (offset) => {
    const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)?$/.exec(offset) ?? [];
    const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes ?? 0)) * 60_000;
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
    const local = new Date(at.getTime() + ahead).toISOString().slice(0, 19);
    const { id } = await relay(`${head([`X-Service-Scheduled-At: ${local}${offset}`, 'Subject: x'])}\r\n\r\nx`);
    expect(await shown(id)).toMatchObject({ status: 'scheduled', scheduled_at: at.toISOString() });
  });
});

it('X-Service-Priority is the priority of the email and is removed; Precedence is not meant by it', async () => {
  const send = (field: string) => relay(`${head([field, 'Subject: x'])}\r\n\r\nx`);
  const { id } = await send('X-Service-Priority: bulk');
  expect(await shown(id)).toMatchObject({ priority: 'bulk' });
  expect((await capturedRaw(id)).toString('latin1')).not.toMatch(/priority/i);
  expect(await shown((await send('Precedence: bulk')).id)).toMatchObject({ priority: 'transactional' });
  const { reply } = await send('X-Service-Priority: low');
  expect(reply).toMatch(/^554 5\.6\.0 .*X-Service-Priority: must be transactional or bulk/);
});

describe('unsubscribe links in the body', () => {
  const TRACKED = /\/t\/c\//g;
  const html = (link: string) =>
    `<p><a href="https://shop.example/sale">Sale</a> <a href="${link}">Unsubscribe</a></p>`;
  const relayed = async (fields: string[], link: string) => {
    const message = `${head([...fields, 'Subject: x', 'X-Service-Track: clicks', 'Content-Type: text/html; charset=utf-8'])}\r\n\r\n`;
    const { reply, id } = await relay(Buffer.concat([bytes(message), Buffer.from(html(link))]));
    expect(reply).toMatch(/^250 /);
    return readParts(await capturedRaw(id)).html ?? '';
  };

  it.each([
    ['<HTTPS://NEWS.SHOP.EXAMPLE/u?id=1&l=2>', 'https://news.shop.example/u?id=1&amp;l=2'],
    ['<https://news.shop.example:443/u?id=3>', 'https://News.Shop.example/u?id=3'],
    ['<https://news.shop.example/%7Eada/u>', 'https://news.shop.example/~ada/u'],
    ['<https://news.shop.example/u%2fada>', 'https://news.shop.example/u%2Fada'],
    ['<https://news.shop.example/\r\n u/456>', 'https://news.shop.example/u/456'],
    ['<https://news.shop.example?u=1>', 'https://news.shop.example/?u=1'],
    ['<https://news.shop.example/u/6>', 'https://news.shop.example/u/6#top'],
    ['<https://news.shop.example/a/../u/7>', 'https://news.shop.example/u/7'],
    ['<https://xn--bcher-kva.example/u>', 'https://bücher.example/u'],
    [
      '(One click) <mailto:u@shop.example?subject=a%2Cb>, (web)\r\n <https://news.shop.example/u/8>',
      ' https://news.shop.example/u/8 ',
    ],
    ['<https://news.shop.example/u/9,10>', 'https://news.shop.example/u/9,10'],
  ])('are not tracked: %s', async (value, link) => {
    const found = await relayed([`List-Unsubscribe: ${value}`], link);
    expect(found).toContain(`<a href="${link}">`);
    expect(found.match(TRACKED)).toHaveLength(1);
  });

  it('are not tracked in emails of the API', async () => {
    const list_unsubscribe = { url: 'https://NEWS.shop.example/u?m=%C3%A4&n=2' };
    const link = 'https://news.shop.example:443/u?m=%c3%a4&amp;n=2';
    const id = await post({ html: html(link), list_unsubscribe, tracking: { clicks: true } });
    const found = readParts(await capturedRaw(id)).html ?? '';
    expect(found).toContain(link);
    expect(found.match(TRACKED)).toHaveLength(1);
  });
});

describe('tokens of tracking links', () => {
  let base: string | undefined;
  let token = '';
  let image: string | undefined;
  const TARGET = 'https://shop.example/sale?a=1';

  beforeAll(async () => {
    const html = `<body><a href="${TARGET}">Sale</a></body>`;
    const found =
      readParts(await capturedRaw(await post({ html, tracking: { opens: true, clicks: true } }))).html ?? '';
    [, base, token] = /href="([^"]*\/t\/c\/)([^"]+)"/.exec(found) ?? [];
    [, image] = /src="([^"]*\/t\/o\/[^"]+)"/.exec(found) ?? [];
  });

  const encoded = (text: string, which: RegExp) =>
    text.replace(which, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

  it.each([
    ['every character encoded', () => encoded(token, /./g)],
    ['digits encoded', () => encoded(token, /[0-9]/g)],
    ['hyphens and low lines encoded, in capitals', () => token.replaceAll('-', '%2D').replaceAll('_', '%5F')],
    ['letters encoded twice', () => encoded(token, /[A-F]/g).replaceAll('%', '%25')],
    ['a zero-width space at the end', () => `${token}%E2%80%8B`],
    ['a bracket and a full stop at the end', () => `${token}).`],
    ['a quote that is encoded at the end', () => `${token}%22`],
    ['a soft line end at the end', () => `${token}%0D%0A`],
    ['&gt; at the end', () => `${token}&gt;`],
    ['a query of an advertising program', () => `${token}?utm_source=mail&fbclid=x`],
  ])('are read with %s', async (_name, spelled) => {
    const response = await fetch(`${base}${spelled()}`, { redirect: 'manual' });
    expect(response.status).toBeGreaterThanOrEqual(301);
    expect(response.status).toBeLessThanOrEqual(308);
    expect(response.headers.get('location')).toBe(TARGET);
  });

  it('are read in images with an encoded extension', async () => {
    const response = await fetch(image!.replace('.gif', '%2Egif').replaceAll('-', '%2d'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif']);
  });

  it('are not read with another letter', async () => {
    const changed = token
      .replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
      .replace(/^./, (one) => (one === 'x' ? 'y' : 'x'));
    expect((await fetch(`${base}${changed}`, { redirect: 'manual' })).status).toBe(404);
  });
});

describe('hourly statistics across changes of half an hour', () => {
  const hours = async (timezone: string, from: string, to: string) => {
    const query = new URLSearchParams({ granularity: 'hour', timezone, from, to, metrics: 'sent' });
    const response = await program.call('GET', `/stats?${query.toString()}`);
    const body = (await response.json()) as { data?: Record<string, unknown>[] };
    expect(response.status, JSON.stringify(body)).toBe(200);
    return (body.data ?? []).map((row) => new Date(String(row['period'])).toISOString().slice(5, 16));
  };

  it.each([
    // 2:00 becomes 2:30.
    [
      'Australia/Lord_Howe',
      '2026-10-03T14:30:00Z',
      '2026-10-03T18:00:00Z',
      ['10-03T14:30', '10-03T15:30', '10-03T16:00', '10-03T17:00'],
    ],
    // 3:00 becomes 2:30.
    [
      'America/Caracas',
      '2007-12-09T05:00:00Z',
      '2007-12-09T09:30:00Z',
      ['12-09T05:00', '12-09T06:00', '12-09T07:30', '12-09T08:30'],
    ],
    // 2:30 becomes 3:00.
    [
      'America/Caracas',
      '2016-05-01T05:30:00Z',
      '2016-05-01T09:00:00Z',
      ['05-01T05:30', '05-01T06:30', '05-01T07:00', '05-01T08:00'],
    ],
    // 23:30 becomes 0:00.
    [
      'Asia/Pyongyang',
      '2018-05-04T13:30:00Z',
      '2018-05-04T17:00:00Z',
      ['05-04T13:30', '05-04T14:30', '05-04T15:00', '05-04T16:00'],
    ],
    // No change, but an offset of 45 minutes.
    ['Pacific/Chatham', '2026-11-01T00:15:00Z', '2026-11-01T03:15:00Z', ['11-01T00:15', '11-01T01:15', '11-01T02:15']],
  ])('have rows at full local hours: %s from %s', async (timezone, from, to, expected) => {
    expect(await hours(timezone, from, to)).toEqual(expected);
  });
});

describe('SPF through other records', () => {
  const ZONE = 'field-spf.example';

  it.each([
    ['redirect.', 'v=spf1 redirect=_spf.redirect.field-spf.example', '_spf'],
    ['nested.', 'v=spf1 mx include:_a.nested.field-spf.example -all', '_a'],
  ])('is verified: %s', async (prefix, own, first) => {
    const name = `${prefix}${ZONE}`;
    const dns = await openZones([name]);
    try {
      const created = await program.call('POST', '/domains', { name });
      const { id, records } = (await created.json()) as { id: string; records: Record<string, string>[] };
      const [include] = /include:\S+/.exec(records.find(({ record }) => record === 'SPF')?.['value'] ?? '') ?? [];
      dns.set(name, { TXT: [own] });
      dns.set(`${first}.${name}`, { TXT: [`V=SPF1 ip4:192.0.2.0/24 Include:_b.${name} ~all`] });
      dns.set(`_b.${name}`, { TXT: [`v=spf1 ${include} ?all`] });
      const status = await until(async () => {
        await program.call('POST', `/domains/${id}/verify`);
        const shownDomain = (await (await program.call('GET', `/domains/${id}`)).json()) as typeof created & {
          records: { record: string; status: string; observed: string[]; error: string | null }[];
        };
        const spf = shownDomain.records.find(({ record }) => record === 'SPF');
        return spf !== undefined && spf.observed.length > 0 && spf;
      });
      expect(status).toMatchObject({ status: 'verified' });
    } finally {
      await dns.close();
    }
  });
});

describe('an erasure', () => {
  it('finds an address in every Unicode form', async () => {
    const address = 'lê.thị@example.com';
    const id = await post({ to: address.normalize('NFD') });
    await capturedRaw(id);
    const requested = await program.call('POST', '/erasures', { email: address.normalize('NFC') });
    const { id: erasure } = (await requested.json()) as { id: string };
    await until(async () => {
      const { status } = (await (await program.call('GET', `/erasures/${erasure}`)).json()) as { status: string };
      return status === 'completed';
    });
    expect(JSON.stringify(await shown(id)).normalize('NFC')).not.toContain(address.normalize('NFC'));
  });
});
