import { describe, expect, it } from 'vitest';
import { officeFile, zipFile } from '../../../../../test/support/samples/zip-file.js';
import { mustReturn } from '../../../../../test/support/timing/must-return.js';
import { attachmentProblems, attachmentsFrom, forbiddenAttachments } from './attachment-rules.js';
import { furtherTypes } from './attachment-types.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const pdf = (version: string) =>
  latin1(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\nstartxref\n9\n%%EOF\n`);
const png = latin1(
  '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\0IEND\xaeB`\x82',
);
const jpeg = latin1('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9');
const gif = latin1('GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;');
const webp = (kind: string) => latin1(`RIFF\x24\0\0\0WEBP${kind}\x18\0\0\0${'data'.repeat(6)}`);
const exe = latin1('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0\xb8\0');
const elf = latin1('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0');
const script = Buffer.from('#!/bin/sh\nrm -rf "$HOME"\n');

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The result of both checks of one file: `400 code`, `422 code` or `ok`. */
function resultOf(filename: unknown, content: Buffer, more: object = {}): string {
  const value = [{ filename, content: content.toString('base64'), ...more }];
  const malformed = attachmentProblems(value);
  if (malformed.length > 0) return `400 ${malformed[0].code}`;
  const forbidden = forbiddenAttachments(attachmentsFrom(value as Parameters<typeof attachmentsFrom>[0]));
  return forbidden.length > 0 ? `422 ${forbidden[0].code}` : 'ok';
}

describe('an attachment of an allowed type', () => {
  const GOOD: [name: string, content: Buffer, type?: string][] = [
    ...['1.0', '1.3', '1.4', '1.5', '1.6', '1.7', '2.0'].map((v): [string, Buffer] => [`v${v}.pdf`, pdf(v)]),
    ['invoice.PDF', pdf('1.7'), 'application/pdf'],
    ['invoice.pdf', pdf('1.7'), 'Application/PDF; name="invoice.pdf"'],
    ['example.com.pdf', pdf('1.7')],
    ['late.pdf', Buffer.concat([Buffer.from('junk\n'), pdf('1.4')])],
    ['unknown.pdf', pdf('1.4'), 'application/octet-stream'],
    ['a.exe.pdf', pdf('1.7')],
    ['a.sh.txt', Buffer.from('x')],
    ['a.BAT.csv', Buffer.from('x')],
    ['a.docx', officeFile('word'), 'application/zip'],
    ['Q1 2026 – Übersicht (final) #2.pdf', pdf('1.7')],
    ['Release 1.2', pdf('1.7'), 'application/pdf'],
    ['a.png', png, 'image/png'],
    ['logo.PNG', png],
    ['pixel', png],
    ['photo.jpg', jpeg, 'image/jpeg'],
    ['photo.jpeg', jpeg],
    ['photo.jpg', jpeg, 'image/jpg'],
    ['exif.jpg', latin1('\xff\xd8\xff\xe1\0\x08Exif\0\0\xff\xd9')],
    ['raw.jpg', latin1('\xff\xd8\xff\xdb\0\x04\0\0\xff\xd9')],
    ['motion.jpg', Buffer.concat([jpeg, latin1('\0\0\0\x18ftypmp42 and a film behind the picture')])],
    ['a.gif', gif, 'image/gif'],
    ['old.gif', latin1('GIF87a\x01\0\x01\0\0\0\0;')],
    ...['VP8 ', 'VP8L', 'VP8X'].map((kind): [string, Buffer] => [`${kind.trim()}.webp`, webp(kind)]),
    ['a.webp', webp('VP8 '), 'image/webp'],
    ['note.txt', Buffer.from('Hello\n'), 'text/plain'],
    ['note.txt', Buffer.from('Hello\r\n'), 'text/plain; charset=utf-8'],
    ['bom.txt', Buffer.from('\ufeffHello')],
    ['umlauts.txt', Buffer.from('Grüße 😀')],
    ['latin1.txt', latin1('Gr\xfc\xdfe, 5 \xa4')],
    ['windows.txt', latin1('\x93quoted\x94 \x80 5')],
    ['node.js.txt', Buffer.from('#include is no #!')],
    ['dos.txt', latin1('end of file\r\n\x1a')],
    ['terminal.txt', latin1('\x1b[31mred\x1b[0m')],
    ['pages.txt', Buffer.from('one\ftwo\tthree\v')],
    ['markup.txt', Buffer.from('1 < 2, see <https://example.com> and <b>')],
    ['xml.txt', Buffer.from('<?xml version="1.0"?><a/>')],
    ['MZ inside.txt', Buffer.from('The bytes MZ begin a program.')],
    ['one.txt', Buffer.from('x')],
    ['a.csv', Buffer.from('a,b\r\n1,2\r\n'), 'text/csv'],
    ['a.csv', Buffer.from('a;b\n"x\ny";2\n'), 'text/csv; charset=utf-8; header=present'],
    ['excel.csv', latin1('Stra\xdfe;Betrag\r\nWeg;1,50 \x80\r\n'), 'application/csv'],
    ['bom.csv', Buffer.from('\ufeffNäme\tWert\n')],
    ['a.xlsx', officeFile('xl'), XLSX],
    ['a.XLSX', officeFile('xl')],
    ['printer.xlsx', officeFile('xl', ['xl/printerSettings/printerSettings1.bin', 'xl/worksheets/sheet1.xml'])],
    ['a.docx', officeFile('word'), DOCX],
    ['embedded.docx', officeFile('word', ['word/embeddings/oleObject1.bin', 'word/media/image1.png'])],
    ['plain', officeFile('word'), DOCX],
    ['stored.zip', zipFile(['a.txt', 'b/c.pdf']), 'application/zip'],
    ['windows.zip', zipFile(['a.txt']), 'application/x-zip-compressed'],
    ['deflated.zip', zipFile([{ name: 'a.txt', content: 'a'.repeat(5000), deflated: true }])],
    ['folders.zip', zipFile(['photos/', 'photos/a.jpg', 'photos/2026/'])],
    ['comment.zip', zipFile(['a.txt'], { comment: 'made by hand' })],
    ['large form.zip', zipFile(['a.txt', 'b.txt'], { zip64: true })],
    ['empty.zip', zipFile([])],
    ['nested.zip', zipFile([{ name: 'inner.zip', content: zipFile(['a.txt']) }])],
    ['of a pdf.zip', zipFile([{ name: 'a.pdf', content: pdf('1.4') }])],
    ['encrypted.zip', zipFile([{ name: 'secret.pdf', flags: 0x801 }])],
    ['names.zip', zipFile(['Grüße.txt', '😀.png', 'a b.csv', 'Version 1.2/notes', '.htaccess', 'example.com.txt'])],
    ['many.zip', zipFile(Array.from({ length: 10_000 }, (_, i) => `${i}.txt`))],
    ['office.zip', officeFile('word')],
    ['claims.zip', zipFile([{ name: 'zeros.txt', content: 'x', claims: 0xfffffffe }])],
  ];

  it(`is accepted: ${GOOD.length} files`, () => {
    expect(GOOD.length).toBeGreaterThanOrEqual(60);
    for (const [name, content, type] of GOOD)
      expect(resultOf(name, content, type === undefined ? {} : { content_type: type }), `${name} ${type}`).toBe('ok');
  });
});

describe('an attachment whose content, name and type disagree', () => {
  const png422 = (content: Buffer): [string, Buffer, string] => ['a.png', content, '422 type_mismatch'];
  const appended = (to: Buffer) => Buffer.concat([to, zipFile(['Main.class', 'META-INF/MANIFEST.MF'])]);
  const zipped = (name: string, over: object = {}): [string, Buffer, string] => [
    'a.zip',
    zipFile(['readme.txt', { name, ...over }]),
    '422 executable',
  ];
  const BAD: [name: string, content: Buffer, result: string, type?: string][] = [
    ...['pdf', 'png', 'txt', 'csv', 'zip', 'docx', 'jpg', 'gif'].map((extension): [string, Buffer, string] => [
      `program.${extension}`,
      exe,
      '422 executable',
    ]),
    ...['pdf', 'txt', 'csv'].map((ext): [string, Buffer, string] => [`elf.${ext}`, elf, '422 executable']),
    ...['txt', 'csv', 'pdf'].map((ext): [string, Buffer, string] => [`script.${ext}`, script, '422 executable']),
    ['bom script.txt', Buffer.concat([Buffer.from('\ufeff'), script]), '422 executable'],
    ['mach-o.txt', latin1('\xcf\xfa\xed\xfe\x07\0\0\x01'), '422 executable'],
    ['big mach-o.csv', latin1('\xfe\xed\xfa\xce\0\0\0\x12'), '422 executable'],
    ['class.txt', latin1('\xca\xfe\xba\xbe\0\0\x004'), '422 executable'],
    ...[
      '<html><script>',
      '<!DOCTYPE html>',
      ' \n<HTML>',
      '<script>x</script>',
      '\ufeff<html>',
      '<svg onload=x>',
      '<?php x',
    ].map((text): [string, Buffer, string] => ['page.txt', Buffer.from(text), '422 type_mismatch']),
    ['page.csv', Buffer.from('<html>'), '422 type_mismatch'],
    ['zero.txt', Buffer.from('a\0b'), '422 type_mismatch'],
    ['utf-16.txt', Buffer.from('Hello', 'utf16le'), '422 type_mismatch'],
    ['binary.csv', Buffer.from([1, 2, 3, 250]), '422 type_mismatch'],
    ['a.pdf', Buffer.from('Hello'), '422 type_mismatch'],
    ['a.pdf', png, '422 type_mismatch'],
    png422(jpeg),
    png422(gif),
    png422(png.subarray(0, 7)),
    png422(latin1('\x89PNG\n\x1a\n')),
    ['a.jpg', png, '422 type_mismatch'],
    ['a.gif', latin1('GIF88a;'), '422 type_mismatch'],
    ['a.webp', latin1('RIFF\x24\0\0\0WAVEfmt '), '422 type_mismatch'],
    ['jar behind.gif', appended(gif), '422 type_mismatch'],
    ['jar behind.png', appended(png), '422 type_mismatch'],
    ['jar behind.jpg', appended(jpeg), '422 type_mismatch'],
    ['zip behind.pdf', appended(pdf('1.4')), '422 type_mismatch'],
    ['zip inside.pdf', Buffer.concat([appended(pdf('1.4')), latin1('\n%%EOF')]), '422 type_mismatch'],
    ['pdf in.gif', Buffer.concat([latin1('GIF89a'), pdf('1.4')]), '422 type_mismatch'],
    ['pdf in.jpg', Buffer.concat([jpeg, pdf('1.4')]), '422 type_mismatch'],
    ['a.docx', officeFile('xl'), '422 type_mismatch'],
    ['a.xlsx', officeFile('word'), '422 type_mismatch'],
    ['a.docx', zipFile(['word/document.xml']), '422 type_mismatch'],
    ['a.docx', zipFile(['a.txt']), '422 type_mismatch'],
    ['macro.docx', officeFile('word', ['word/vbaProject.bin']), '422 type_mismatch'],
    ['macro.xlsx', officeFile('xl', ['xl/VBAPROJECT.BIN']), '422 type_mismatch'],
    ['program.docx', officeFile('word', ['word/embeddings/setup.exe']), '422 executable'],
    ['old.docx', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), '422 type_mismatch'],
    ...['exe', 'sh', 'bat', 'cmd', 'scr', 'js', 'vbs', 'ps1', 'jar', 'com', 'msi', 'lnk', 'EXE'].map((ext) =>
      zipped(`folder/setup.${ext}`),
    ),
    zipped('setup.exe', { flags: 0x801 }),
    zipped('setup.exe '),
    zipped('setup.exe.txt'),
    zipped('setup.exe::$DATA'),
    zipped('setup.ｅｘｅ'),
    zipped('setup.e\u200bxe'),
    zipped('folder\\setup.bat'),
    ['up.zip', zipFile(['../../etc/cron.d/x']), '422 unsafe_archive'],
    ['up.zip', zipFile(['a\\..\\..\\x.txt']), '422 unsafe_archive'],
    ['root.zip', zipFile(['/etc/passwd']), '422 unsafe_archive'],
    ['drive.zip', zipFile(['C:\\x.txt']), '422 unsafe_archive'],
    ['zero.zip', zipFile(['a.exe\0.txt']), '422 unsafe_archive'],
    ['two names.zip', zipFile([{ name: 'a.txt', localName: 'a.exe' }]), '422 type_mismatch'],
    ['overlap.zip', zipFile(['a.txt', { name: 'a.txt', at: 0 }]), '422 type_mismatch'],
    ['elsewhere.zip', zipFile([{ name: 'a.txt', at: 0xfffffff0 }]), '422 type_mismatch'],
    ['masked.zip', zipFile([{ name: 'a.txt', flags: 0x2001 }]), '422 type_mismatch'],
    ['too many.zip', zipFile(Array.from({ length: 10_001 }, (_, i) => `${i}.txt`)), '422 type_mismatch'],
    ['cut.zip', zipFile(['a.txt']).subarray(0, -1), '422 type_mismatch'],
    ['longer.zip', Buffer.concat([zipFile(['a.txt']), Buffer.from('x')]), '422 type_mismatch'],
    ['later.zip', zipFile(['a.txt'], { before: Buffer.from('junk') }), '422 type_mismatch'],
    ['head.zip', zipFile(['a.txt']).subarray(0, 30), '422 type_mismatch'],
    ['a.exe', pdf('1.4'), '422 executable'],
    ['a.pdf.exe', pdf('1.4'), '422 executable'],
    ['a.html', Buffer.from('x'), '422 type_not_allowed'],
    ['a.svg', Buffer.from('x'), '422 type_not_allowed'],
    ['a.docm', officeFile('word'), '422 type_not_allowed'],
    ['a.pdf', pdf('1.4'), '422 type_not_allowed', 'text/html'],
    ['a.pdf', pdf('1.4'), '422 type_mismatch', 'image/png'],
    ['a.png', pdf('1.4'), '422 type_mismatch', 'application/pdf'],
    ['a.txt', Buffer.from('a'), '422 type_mismatch', 'text/csv'],
  ];

  it(`is refused: ${BAD.length} files`, () => {
    expect(BAD.length).toBeGreaterThanOrEqual(60);
    for (const [name, content, expected, type] of BAD)
      expect(resultOf(name, content, type === undefined ? {} : { content_type: type }), `${name} ${type}`).toBe(
        expected,
      );
  });

  it('is checked in linear time for any ZIP directory', () => {
    const numbered = (count: number, name: string) => zipFile(Array.from({ length: count }, (_, i) => `${name}${i}`));
    for (const content of [
      numbered(10_000, 'é'.repeat(40)),
      numbered(70, 'é'.repeat(32_000)),
      Buffer.alloc(10 * 1024 * 1024, zipFile([])),
    ]) {
      const judge = () => forbiddenAttachments([{ filename: 'a.zip', contentType: 'application/zip', content }]);
      expect(mustReturn(judge)).toBeDefined();
    }
  });
});

describe('with further types', () => {
  const codesFor = (
    setting: 'all' | string[],
    filename: string,
    rest: { content?: string; content_type?: string } = {},
  ) => {
    const { content = 'text', content_type } = rest;
    const given = [
      { filename, content: Buffer.from(content).toString('base64'), ...(content_type ? { content_type } : {}) },
    ];
    expect(attachmentProblems(given)).toEqual([]);
    return forbiddenAttachments(attachmentsFrom(given), furtherTypes(setting)).map(({ code }) => code);
  };

  it.each(['invite.ics', 'invoice.xml', 'order.json', 'a.eml', 'a.odt', 'logo.svg'])('all allow %s', (filename) => {
    expect(codesFor([], filename)).toEqual(['type_not_allowed']);
    expect(codesFor('all', filename)).toEqual([]);
  });

  it('allow what is listed', () => {
    expect(codesFor(['text/calendar'], 'invite.ics')).toEqual([]);
    expect(codesFor(['text/calendar'], 'order.json')).toEqual(['type_not_allowed']);
    expect(codesFor(['application/x-own'], 'data', { content_type: 'application/x-own' })).toEqual([]);
  });

  it.each([
    ['a.exe', {}],
    ['a.pdf.js', {}],
    ['tool', { content_type: 'application/x-msdownload' }],
    ['tool', { content_type: 'text/javascript' }],
    ['tool', { content_type: 'application/java-archive' }],
    ['data.bin.json', { content: '#!/bin/sh' }],
    ['a.json', { content: '\x7fELF' }],
  ])('never allow the executable %s %j', (filename, rest) => {
    expect(codesFor('all', filename, rest)).toEqual(['executable']);
  });

  it('check the ten types as before', () => {
    expect(codesFor('all', 'a.pdf', { content: 'no document' })).toEqual(['type_mismatch']);
  });

  it.each(['message/partial', 'message/external-body', 'multipart/mixed'])('never allow %s', (content_type) => {
    expect(codesFor('all', 'part', { content_type })).toEqual(['type_not_allowed']);
  });

  it('look into forwarded messages', () => {
    const forwarding = (file: string) =>
      `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename=${file}\r\n\r\nx\r\n--b--\r\n`;
    expect(codesFor('all', 'a.eml', { content: forwarding('a.txt') })).toEqual([]);
    expect(codesFor('all', 'a.eml', { content: forwarding('a.exe') })).toEqual(['executable']);
    expect(codesFor(['message/rfc822'], 'a.eml', { content: forwarding('a.json') })).toEqual(['executable']);
  });

  it('keep the method of a calendar', () => {
    const [{ contentType }] = attachmentsFrom([
      { filename: 'invite.ics', content: '', content_type: 'text/calendar; method=request; charset="UTF-8"; x=y' },
    ]);
    expect(contentType).toBe('text/calendar; charset=utf-8; method=REQUEST');
  });
});
