import { beforeAll, describe, expect, it } from 'vitest';
import type { Response } from 'supertest';
import { type GatewayApp, sharedGateway } from '../../support/fixtures/gateway-app.js';
import { CSV, DOCX, JPEG, PDF, PNG, utf16, WEBP, XLSX, ZIP } from '../../support/samples/small-files.js';
import { zipFile } from '../../support/samples/zip-file.js';

/** Files as programs of customers send them, with names and types of all sorts. */
let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});

interface File {
  filename: string;
  content: Buffer;
  content_type?: string;
  content_id?: string;
}

const post = (file: File) =>
  gateway
    .agent(own.key)
    .post('/emails')
    .send({
      from: `Shop <orders@${own.domain}>`,
      to: 'ada@example.com',
      subject: 'Files',
      html: '<p>Thank you.</p>',
      attachments: [{ ...file, content: file.content.toString('base64') }],
    });
const summary = ({ status, body }: Response) =>
  status === 201 ? '201' : `${status} ${JSON.stringify((body as { details?: unknown }).details ?? body)}`;

/** The stored file of an accepted email. */
async function stored(file: File): Promise<Record<string, unknown>> {
  const created = await post(file);
  expect(summary(created)).toBe('201');
  const { id } = created.body as { id: string };
  const shown = await gateway.agent(own.key).get(`/emails/${id}`);
  return (shown.body as { attachments: Record<string, unknown>[] }).attachments[0];
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const SHEET = `${OFFICE}.spreadsheetml.sheet`;
const DOCUMENT = `${OFFICE}.wordprocessingml.document`;

describe('names of types', () => {
  it.each([
    ['scan.pdf', 'application/acrobat', PDF, 'application/pdf'],
    ['scan.pdf', 'text/x-pdf', PDF, 'application/pdf'],
    ['orders.csv', 'application/csv', CSV, 'text/csv'],
    ['orders.csv', 'text/x-csv', CSV, 'text/csv'],
    ['photo.jpg', 'image/jpg', JPEG, 'image/jpeg'],
    ['logo.png', 'binary/octet-stream', PNG, 'image/png'],
    ['logo.webp', 'application/x-download', WEBP, 'image/webp'],
    ['figures.xlsx', 'application/x-msexcel', XLSX, SHEET],
    ['letter.docx', 'application/vnd.ms-word', DOCX, DOCUMENT],
    ['all.zip', 'multipart/x-zip', ZIP, 'application/zip'],
    ['all.zip', 'application/s-compressed', ZIP, 'application/zip'],
    ['run.log', 'text/x-log', Buffer.from('ok\n'), 'text/plain'],
  ])('accept %s as %s', async (filename, content_type, content, type) => {
    expect(await stored({ filename, content, content_type })).toMatchObject({ filename, content_type: type });
  });

  it('refuse a name of another type than the content', async () => {
    expect(summary(await post({ filename: 'scan.png', content: PDF, content_type: 'image/x-png' }))).toMatch(/^422 /);
  });
});

describe('extensions', () => {
  it.each([
    ['IMG_0042.JFIF', JPEG, 'image/jpeg', undefined],
    ['foto.JPE', JPEG, 'image/jpeg', 'image/pjpeg'],
    ['banner.pjpeg', JPEG, 'image/jpeg', 'image/jpeg'],
    ['session.LOG', Buffer.from('started\nended\n'), 'text/plain', undefined],
  ])('accept %s', async (filename, content, type, content_type) => {
    const given = content_type === undefined ? {} : { content_type };
    expect(await stored({ filename, content, ...given })).toMatchObject({ filename, content_type: type });
  });
});

describe('text in UTF-16', () => {
  it.each([
    ['kunden.csv', utf16('Name;Ort\r\nJörg;Köln\r\n', 'be'), 'text/csv'],
    ['読んで.txt', utf16('お読みください 📦\r\n', 'le'), 'text/plain'],
    ['export.csv', utf16('Имя\tГород\r\nАнна\tМосква\r\n', 'le'), 'application/vnd.ms-excel'],
    ['notes.txt', utf16('Ⅳ', 'be'), 'text/plain; charset=utf-16'],
  ])('is accepted in %s', async (filename, content, content_type) => {
    expect(summary(await post({ filename, content, content_type }))).toBe('201');
  });
});

describe('a PDF with text before its header', () => {
  const behind = (head: string) => Buffer.concat([Buffer.from(head, 'latin1'), PDF]);

  it.each([
    ['a mark and a line end', '\xef\xbb\xbf\r\n'],
    ['the header fields of an HTTP response', 'Content-Type: application/pdf\r\nContent-Length: 9812\r\n\r\n'],
    [
      'the commands of a print job',
      '\x1b%-12345X@PJL JOB NAME="invoice"\r\n@PJL SET RESOLUTION=600\r\n@PJL ENTER LANGUAGE=PDF\r\n',
    ],
    ['a page of blank lines', '\r\n'.repeat(400)],
  ])('is accepted behind %s', async (_name, head) => {
    const file = { filename: 'invoice.pdf', content: behind(head), content_type: 'application/pdf' };
    expect(summary(await post(file))).toBe('201');
  });

  it('is refused when the header is further away than 1,024 bytes', async () => {
    expect(summary(await post({ filename: 'invoice.pdf', content: behind('\n'.repeat(2_000)) }))).toMatch(/^422 /);
  });
});

describe('names with the extension of a program', () => {
  it.each([
    ['Reservierung Booking.com.pdf', PDF],
    ['nightly.bat.log', Buffer.from('ok\n')],
    ['app.js.zip', ZIP],
    ['www.example.com.csv', CSV],
    ['screen.scr.png', PNG],
    ['bookings.zip', zipFile(['2026/Booking.com.pdf', '2026/www.example.com.csv'])],
  ])('in the middle are accepted: %s', async (filename, content) => {
    expect(summary(await post({ filename, content }))).toBe('201');
  });

  it.each([
    ['holiday.jpg.lnk', JPEG],
    ['invoice.pdf.scr', PDF],
    ['invoice.pdf .com', PDF],
    ['invoice.pdf.JS', PDF],
    ['files.zip', zipFile(['invoice.pdf.exe'])],
  ])('at the end are refused: %s', async (filename, content) => {
    expect(summary(await post({ filename, content }))).toMatch(/^422 /);
  });
});

describe('parameters of content_type', () => {
  it.each([
    ["application/pdf; name*=UTF-8''Rechnung%20M%C3%A4rz.pdf", 'scan.pdf', PDF, 'application/pdf'],
    ['application/pdf;', 'scan.pdf', PDF, 'application/pdf'],
    ['application/pdf; charset=binary', 'scan.pdf', PDF, 'application/pdf'],
    ['image/png; name="снимок экрана.png"; x-unix-mode=0644', 'screen.png', PNG, 'image/png'],
    ['image/jpeg;name=My holiday (1).jpg', 'photo.jpg', JPEG, 'image/jpeg'],
    [`application/zip; name="${'archive-'.repeat(400)}.zip"`, 'all.zip', ZIP, 'application/zip'],
    ["application/pdf; name*0*=utf-8''a%20; name*1=b.pdf", 'scan.pdf', PDF, 'application/pdf'],
  ])('are dropped: %s', async (content_type, filename, content, type) => {
    expect(await stored({ filename, content, content_type })).toMatchObject({ content_type: type });
  });

  it('with a charset of text keep the charset', async () => {
    const file = { filename: 'a.txt', content: Buffer.from('Köln', 'latin1') };
    const { content_type } = await stored({ ...file, content_type: 'text/plain; format=flowed; charset="ISO-8859-1"' });
    expect(content_type).toMatch(/^text\/plain(; charset="?iso-8859-1"?)?$/i);
  });
});

describe('content_id', () => {
  it.each([
    'image001.png@01DB2C3F.8A4E5D60',
    'f_lq8z{0}|~1',
    "ii_19a&b='c'",
    '50%*off#1?',
    'logo@[192.0.2.1]',
    'B7E2F1C0-8D1B-4F44-9C4E-3C1F0F1E2A5B@local',
  ])('accepts %s', async (content_id) => {
    expect(await stored({ filename: 'logo.png', content: PNG, content_id })).toMatchObject({ content_id });
  });
});
