import { describe, expect, it } from 'vitest';
import { allWith, judgeFiles, SMALL_FILES, type JudgedFile } from '../../../../../test/support/judges/judge-files.js';
import { attachmentsFrom } from './attachment-rules.js';

const {
  pdf: PDF,
  png: PNG,
  jpeg: JPEG,
  gif: GIF,
  csv: CSV,
  txt: TEXT,
  zip: ZIP,
  xlsx: XLSX,
  docx: DOCX,
  ole: OLE,
} = SMALL_FILES;

describe('a file under another common name of its type', () => {
  const EXCEL = [
    'application/vnd.ms-excel',
    'application/x-msexcel',
    'application/excel',
    'application/x-dos_ms_excel',
  ];
  const ZIPPED = ['application/zip', 'application/x-zip-compressed'];
  const SAME: JudgedFile[] = [
    ...['application/x-pdf', 'application/acrobat', 'text/pdf', 'Application/X-PDF; name="a"'].map(
      (type): JudgedFile => ['a.pdf', PDF, type],
    ),
    ...['image/x-png', 'application/png', 'image/vnd.mozilla.apng'].map((type): JudgedFile => ['a.png', PNG, type]),
    ...['image/jpg', 'image/pjpeg', 'image/pipeg', 'image/x-citrix-jpeg', 'application/x-jpg', 'image/jfif'].map(
      (type): JudgedFile => ['a.jpg', JPEG, type],
    ),
    ['a.gif', GIF, 'image/x-gif'],
    ...[
      'application/x-zip',
      'application/x-zip-compressed',
      'application/x-compressed',
      'application/zip-compressed',
    ].map((type): JudgedFile => ['a.zip', ZIP, type]),
    ...[
      ...['text/comma-separated-values', 'text/x-comma-separated-values', 'text/x-csv', 'application/x-csv'],
      ...['application/csv', 'text/plain', 'text/plain; charset=utf-16', 'text/tab-separated-values', ...EXCEL],
    ].map((type): JudgedFile => ['a.csv', CSV, type]),
    ...['application/txt', 'text/x-log', 'text/txt', 'application/text'].map((type): JudgedFile => [
      'a.txt',
      TEXT,
      type,
    ]),
    ...[...EXCEL, ...ZIPPED, 'application/xlsx'].map((type): JudgedFile => ['a.xlsx', XLSX, type]),
    ...['application/msword', 'application/vnd.ms-word', ...ZIPPED].map((type): JudgedFile => ['a.docx', DOCX, type]),
    ['export', CSV, 'application/vnd.ms-excel'],
    ['export', XLSX, 'application/vnd.ms-excel'],
  ];
  const UNSPECIFIC = [
    ...['application/octet-stream', 'application/octet-stream; name="a"', 'application/x-octet-stream'],
    ...['binary/octet-stream', 'application/binary', 'application/force-download', 'application/x-download'],
    ...['application/unknown', 'unknown/unknown', 'application/download'],
  ];

  it('is judged by name and content', async () => {
    expect(await judgeFiles(SAME)).toEqual(allWith(SAME, 'ok'));
  });

  it.each(UNSPECIFIC)('is judged by name and content if the type is %s', async (type) => {
    const rows: JudgedFile[] = [
      ['a.pdf', PDF, type],
      ['a.csv', CSV, type],
      ['a.docx', DOCX, type],
      ['scan', PDF, type],
      ['a.ics', TEXT, type, ['text/calendar']],
    ];
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'ok'));
    const wrong: JudgedFile[] = [
      ['a.pdf', PNG, type],
      ['a.csv', OLE, type],
      ['a.docx', XLSX, type],
    ];
    expect(await judgeFiles(wrong)).toEqual(allWith(wrong, 'type_mismatch'));
    const unknown: JudgedFile[] = [
      ['a.dat', PDF, type],
      ['a.ics', TEXT, type],
    ];
    expect(await judgeFiles(unknown)).toEqual(allWith(unknown, 'type_not_allowed'));
  });

  it('is sent under the name of its type', () => {
    const sentAs = (name: string, content: Buffer, type: string) =>
      attachmentsFrom([{ filename: name, content: content.toString('base64'), content_type: type }])[0];
    expect(SAME.map(([name, content, type]) => sentAs(name, content, type!).contentType.split(';', 1)[0])).toEqual([
      ...Array<string>(4).fill('application/pdf'),
      ...Array<string>(3).fill('image/png'),
      ...Array<string>(6).fill('image/jpeg'),
      'image/gif',
      ...Array<string>(4).fill('application/zip'),
      ...Array<string>(12).fill('text/csv'),
      ...Array<string>(4).fill('text/plain'),
      ...Array<string>(7).fill('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
      ...Array<string>(4).fill('application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
      'text/csv',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
    expect(sentAs('a.csv', CSV, 'text/plain; charset=UTF-16').contentType).toBe('text/csv; charset=utf-16');
    expect(sentAs('a.pdf', PDF, 'application/octet-stream').contentType).toBe('application/pdf');
    expect(sentAs('scan', PDF, 'application/octet-stream')).toMatchObject({ filename: 'scan.pdf' });
    expect(sentAs('a.dat', PDF, 'application/octet-stream').contentType).toBe('application/octet-stream');
  });

  it('is refused if name, content and type disagree, as before', async () => {
    const wrong: JudgedFile[] = [
      ['a.csv', OLE, 'application/vnd.ms-excel'],
      ['a.csv', XLSX, 'text/comma-separated-values'],
      ['a.xlsx', CSV, 'application/vnd.ms-excel'],
      ['a.xlsx', DOCX, 'application/zip'],
      ['a.pdf', PNG, 'application/x-pdf'],
      ['a.png', PDF, 'image/x-png'],
      ['a.pdf', PDF, 'image/x-png'],
      ['a.pdf', PDF, 'text/plain'],
      ['a.pdf', PDF, 'application/zip'],
      ['a.txt', CSV, 'text/csv'],
      ['a.zip', DOCX, 'application/msword'],
    ].map(([name, content, type]): JudgedFile => [name as string, content as Buffer, type as string]);
    expect((await judgeFiles(wrong)).filter((result) => !/: type_(mismatch|not_allowed)$/.test(result))).toEqual([]);
    const other: JudgedFile[] = [
      ['a.xls', OLE, 'application/vnd.ms-excel'],
      ['export', OLE, 'application/vnd.ms-excel'],
      ['a.pdf', PDF, 'text/html'],
      ['a.pdf', PDF, 'image/svg+xml'],
      ['a.pdf', PDF, 'application/javascript'],
      ['a.pdf', PDF, 'application/x-msdownload'],
    ];
    expect(await judgeFiles(other)).toEqual(allWith(other, 'type_not_allowed'));
  });

  it.each<[setting: string[], name: string, types: string[]]>([
    [['application/xml'], 'a.xml', ['text/xml', 'application/x-xml', 'application/xml', 'text/plain']],
    [['text/xml'], 'a.xml', ['text/xml', 'application/xml']],
    [['audio/wav'], 'a.wav', ['audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'application/octet-stream']],
    [['audio/x-wav'], 'a.wav', ['audio/wav', 'audio/wave']],
    [['audio/mp4'], 'a.m4a', ['audio/x-m4a', 'audio/m4a', 'application/octet-stream']],
    [['application/yaml'], 'a.yml', ['text/yaml', 'text/x-yaml', 'application/x-yaml', 'text/plain']],
    [['text/calendar'], 'a.ics', ['application/ics', 'text/x-vcalendar', 'text/plain']],
    [['text/vcard'], 'a.vcf', ['text/x-vcard', 'text/directory']],
    [['text/markdown'], 'a.md', ['text/x-markdown', 'text/plain']],
    [['application/json'], 'a.json', ['text/json', 'application/x-json', 'text/plain']],
    [['image/tiff'], 'a.tif', ['image/x-tiff', 'image/tif']],
    [['image/bmp'], 'a.bmp', ['image/x-ms-bmp', 'image/x-windows-bmp', 'image/x-bmp']],
    [['application/gzip'], 'a.gz', ['application/x-gzip', 'application/gzip-compressed']],
    [['audio/mpeg'], 'a.mp3', ['audio/mp3', 'audio/x-mpeg', 'audio/mpeg3']],
    [['application/rtf'], 'a.rtf', ['text/rtf', 'application/x-rtf', 'text/richtext']],
    [['application/msword'], 'a.doc', ['application/doc', 'application/vnd.ms-word', 'application/x-msword']],
    [['application/vnd.ms-excel'], 'a.xls', ['application/x-excel', 'application/xls', 'application/msexcel']],
    [
      ['application/vnd.oasis.opendocument.text'],
      'a.odt',
      ['application/x-vnd.oasis.opendocument.text', 'application/zip'],
    ],
  ])('is allowed by ATTACHMENT_TYPES=%s: %s', async (setting, name, types) => {
    const content = name.endsWith('.odt') ? ZIP : TEXT;
    const rows = types.map((type): JudgedFile => [name, content, type, setting]);
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'ok'));
    const without = types.map((type): JudgedFile => [name, content, type]);
    expect((await judgeFiles(without)).filter((result) => !/: type_(mismatch|not_allowed)$/.test(result))).toEqual([]);
  });

  it('is examined by what its name says, where ATTACHMENT_TYPES allows a general type', async () => {
    const message = Buffer.from(
      'From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename=a.exe\r\n\r\nx\r\n--b--\r\n',
    );
    const rows = ['', 'application/octet-stream', 'text/plain'].map((type): JudgedFile => [
      'a.eml',
      message,
      type || undefined,
      'all',
    ]);
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'executable'));
    expect(await judgeFiles([['a.ics', TEXT, 'application/octet-stream', ['application/octet-stream']]])).toEqual([
      '"a.ics" application/octet-stream: ok',
    ]);
  });
});

describe('a file under another common extension of its type', () => {
  const SAME: JudgedFile[] = [
    ...['jfif', 'jpe', 'pjpeg', 'pjp', 'jif', 'JFIF', 'JPE'].flatMap((end): JudgedFile[] => [
      [`photo.${end}`, JPEG],
      [`photo.${end}`, JPEG, 'image/jpeg'],
      [`photo.${end}`, JPEG, 'application/octet-stream'],
    ]),
    ['notes.text', TEXT],
    ['notes.text', TEXT, 'text/plain'],
    ['server.log', TEXT, 'text/plain'],
    ['server.log', TEXT],
    ...['tif', 'tiff'].map((end): JudgedFile => [`scan.${end}`, OLE, undefined, ['image/tiff']]),
    ...['htm', 'html'].map((end): JudgedFile => [`page.${end}`, TEXT, undefined, ['text/html']]),
    ...['yml', 'yaml'].map((end): JudgedFile => [`a.${end}`, TEXT, undefined, ['application/yaml']]),
    ...['md', 'markdown'].map((end): JudgedFile => [`a.${end}`, TEXT, undefined, ['text/markdown']]),
    ...['ics', 'ical', 'ifb'].map((end): JudgedFile => [`a.${end}`, TEXT, undefined, ['text/calendar']]),
    ...['heic', 'heif', 'avif', 'bmp'].map((end): JudgedFile => [`a.${end}`, OLE, undefined, [`image/${end}`]]),
    ...[
      ['m4a', 'audio/mp4'],
      ['mp3', 'audio/mpeg'],
      ['wav', 'audio/wav'],
      ['ogg', 'audio/ogg'],
      ['mp4', 'video/mp4'],
      ['mov', 'video/quicktime'],
      ['tsv', 'text/tab-separated-values'],
      ['pkpass', 'application/vnd.apple.pkpass'],
      ['epub', 'application/epub+zip'],
      ['gz', 'application/gzip'],
      ['7z', 'application/x-7z-compressed'],
    ].map(([end, mime]): JudgedFile => [`a.${end}`, TEXT, undefined, [mime]]),
  ];

  it('is accepted', async () => {
    expect(await judgeFiles(SAME)).toEqual(allWith(SAME, 'ok'));
  });

  it('is refused with other content', async () => {
    const rows: JudgedFile[] = [
      ['photo.jfif', PNG],
      ['photo.jpe', PDF, 'image/jpeg'],
      ['notes.text', Buffer.from('<html>')],
    ];
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'type_mismatch'));
  });
});
