import { describe, expect, it } from 'vitest';
import { allWith, judgeFiles, SMALL_FILES, type JudgedFile } from '../../../../../test/support/judges/judge-files.js';

const { pdf: PDF, csv: CSV, txt: TEXT, zip: ZIP } = SMALL_FILES;

describe('a name with the extension of a program', () => {
  const SETTING = 'all';
  const named = (names: string[], type?: string): JudgedFile[] => names.map((name) => [name, PDF, type, SETTING]);

  it('is accepted before the last extension', async () => {
    const good: JudgedFile[] = [
      ...named([
        ...['jane.doe.application.pdf', 'unit.sys.2026.pdf', 'a.exe.pdf', 'readme.sh.pdf', 'Setup.MSI.Manual.PDF'],
        ...[
          'example.com.pdf',
          'node.js.pdf',
          'Re: setup.exe: problem.pdf',
          '.bash.pdf',
          'cmd.pdf',
          'com.example.app.pdf',
        ],
      ]),
      ['export.url.csv', CSV],
      ['deploy.sh.txt', TEXT],
      ['unit.sys.2026.zip', ZIP],
      ['example.com.zip', ZIP],
      ['node.js.gz', TEXT, undefined, SETTING],
    ];
    expect(await judgeFiles(good)).toEqual(allWith(good, 'ok'));
  });

  it('is refused as the last one, however it is written', async () => {
    const bad = [
      'invoice.pdf.exe',
      'a.EXE',
      '.exe',
      'a.ｅｘｅ',
      'a．exe',
      'a.e\u200bxe',
      'a.ex\u00ade',
      'a.exe\u200b',
      'a.exe\u00a0',
    ];
    const streams = ['file.exe::$DATA', 'file.exe:$DATA', 'file.exe:x.pdf', 'file.exe:Zone.Identifier', 'a.pdf:b.exe'];
    const more = [
      'a.pdf:b.exe:$DATA',
      'file.exe：：$DATA',
      'a.exe…',
      'a.exe\u3000',
      'a.pdf.scr',
      'a.pdf.lnk',
      'a.pdf. exe',
    ];
    const rows = [...bad, ...streams, ...more].flatMap((name) => named([name], 'application/pdf'));
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'executable'));
  });

  it('is refused before the extension of an archive', async () => {
    const rows = [
      'setup.exe.zip',
      'setup.exe.gz',
      'setup.exe.tar.gz',
      'a.sh.7z',
      'a.bat.RAR',
      'a.exe.bz2',
      'a.exe.xz',
      'a.exe.zipx',
    ].flatMap((name) => named([name], 'application/x-own'));
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'executable'));
  });

  it('is refused with control characters, trailing dots and blanks', async () => {
    const rows = named([
      'a.exe\0.pdf',
      'a.exe\0',
      'a\u202efdp.exe',
      'a\u202eexe.pdf',
      'a.exe.',
      'a.exe ',
      'a.exe. .',
      'a.pdf.',
    ]);
    expect(await judgeFiles(rows)).toEqual(allWith(rows, 'invalid_filename'));
  });

  it('is refused in forwarded messages too', async () => {
    const forwarding = (name: string) =>
      Buffer.from(
        `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}\r\n\r\nx\r\n--b--\r\n`,
      );
    const bad = ['a.exe.', 'a.exe . ', 'a.exe::$DATA', 'a\u202efdp.exe', 'a.ｅｘｅ'].map((name): JudgedFile => [
      'a.eml',
      forwarding(name),
      undefined,
      SETTING,
    ]);
    expect(await judgeFiles(bad)).toEqual(allWith(bad, 'executable'));
    const good: JudgedFile[] = [['a.eml', forwarding('unit.sys.2026.txt'), undefined, SETTING]];
    expect(await judgeFiles(good)).toEqual(allWith(good, 'ok'));
  });
});
