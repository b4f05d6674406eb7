import { describe, expect, it } from 'vitest';
import { allWith, judgeFiles, SMALL_FILES, type JudgedFile } from '../../../../../test/support/judges/judge-files.js';

const { pdf: PDF, png: PNG, jpeg: JPEG, gif: GIF, zip: ZIP, ole: OLE } = SMALL_FILES;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();

describe('a text file in UTF-16 with a byte order mark', () => {
  const rows = (text: string): JudgedFile[] =>
    [utf16(text), utf16be(text)].flatMap((content): JudgedFile[] => [
      ['a.csv', content, 'text/csv'],
      ['a.csv', content, 'text/csv; charset=utf-16'],
      ['a.csv', content, 'application/vnd.ms-excel'],
      ['a.txt', content],
      ['a.txt', content, 'application/octet-stream'],
    ]);

  it.each(['Größe\tBetrag\r\n', 'Hello', '', '名前;金額\r\n', '😀', '\x1a', '1 < 2', 'ā\u0a0a\u0d0d\u0100'])(
    'is accepted: %j',
    async (text) => {
      expect(await judgeFiles(rows(text))).toEqual(allWith(rows(text), 'ok'));
    },
  );

  it.each(['<html>', '\n <!DOCTYPE html>', '<script>x', '#!/bin/sh\n', 'a\0b', 'a\x07', '\ud800', 'x\udc00y'])(
    'is refused if text in UTF-8 would be: %j',
    async (text) => {
      expect(await judgeFiles(rows(text))).toEqual(allWith(rows(text), 'type_mismatch'));
    },
  );

  it('is refused without the mark, cut within a character, and in UTF-32', async () => {
    const utf32 = Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]);
    const bad: JudgedFile[] = [
      utf16('Hello').subarray(2),
      utf16('Hello').subarray(0, -1),
      utf32,
      utf32.toReversed() as Buffer,
    ].map((content) => ['a.txt', Buffer.from(content)]);
    expect(await judgeFiles(bad)).toEqual(allWith(bad, 'type_mismatch'));
  });
});

describe('a PDF whose header is not at its start', () => {
  const after = (bytes: string | Buffer): JudgedFile => ['a.pdf', Buffer.concat([Buffer.from(bytes as string), PDF])];

  it('is accepted within the first 1,024 bytes', async () => {
    const good = [
      ...['\ufeff', '\n', '\r\n', ' \t\r\n\n', '\0', 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'],
      ...['\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n', 'junk\n', '\n'.repeat(1019)],
    ].map(after);
    expect(await judgeFiles(good)).toEqual(allWith(good, 'ok'));
  });

  it('is refused behind them, and behind the beginning of a file of another type', async () => {
    const other = ['\n'.repeat(1020), 'x'.repeat(2000), '%PDF', '%!PS\n'].map(after).slice(0, 2);
    const starts = [
      PNG,
      GIF,
      JPEG,
      ZIP,
      '<html>',
      '\n<svg onload=x>',
      'text <script>x</script>',
      '<?xml ?>',
      '{\\rtf1',
      OLE,
    ];
    const bad = [...other, ...[...starts, latin1('RIFF\0\0\0\0WEBP')].map(after)];
    expect(await judgeFiles(bad)).toEqual(allWith(bad, 'type_mismatch'));
    const programs = ['MZ', '#!/bin/sh\n', '\x7fELF'].map(after);
    expect(await judgeFiles(programs)).toEqual(allWith(programs, 'executable'));
  });
});
