import { describe, expect, it } from 'vitest';
import type { Refusal } from '#libs/contracts';
import type { FoundFile } from '#libs/mime';
import { requireAllowedFiles } from './relayed-attachments.js';

const PDF = '%PDF-1.4\n%%EOF\n';
const file = (name: string | string[], contentType = '', content: string | Buffer = PDF): FoundFile => ({
  names: Array.isArray(name) ? name : [name],
  contentType,
  encoding: 'base64',
  encoded: Buffer.from(Buffer.from(content as string, 'latin1').toString('base64')),
});

async function judge(...files: FoundFile[]): Promise<string | null> {
  try {
    await requireAllowedFiles(files);
    return null;
  } catch (error) {
    const { code, row, details } = error as Refusal;
    expect([code, row.smtp]).toEqual(['attachment_not_allowed', '554 5.7.1']);
    expect(details).toHaveLength(1);
    return `${details[0].field} ${details[0].code}`;
  }
}

describe('attachments of a relayed message', () => {
  it.each([
    ['by its type', file('a.pdf', 'application/pdf')],
    ['by an alias of its type', file('a.jpg', 'image/pjpeg', '\xff\xd8\xff\xe0')],
    ['by its name, where the program knows no type', file('a.pdf', 'application/octet-stream')],
    ['by its name, where no type is said', file('a.csv', '', 'a;b\r\n')],
    ['by its bytes, where it has no name', file([], '', PDF)],
    ['under two spellings of one name', file(['Größe.pdf', 'Gr__e.pdf'], 'application/pdf')],
  ])('are accepted %s', async (_how, one) => {
    expect(await judge(one)).toBeNull();
  });

  it.each([
    [file('a.exe', 'application/pdf'), '"a.exe" executable'],
    [file('a.pdf.exe', 'application/octet-stream'), '"a.pdf.exe" executable'],
    [file('run.sh', 'text/plain', 'echo'), '"run.sh" executable'],
    [file('a.pdf', 'application/pdf', 'MZ'), '"a.pdf" executable'],
    [file('a.pdf', 'application/pdf', 'no pdf'), '"a.pdf" type_mismatch'],
    [file('a.txt', 'text/plain', '<html>'), '"a.txt" type_mismatch'],
    [file('a.png', 'application/pdf'), '"a.png" type_mismatch'],
    [file('a.html', 'text/html', '<p>'), '"a.html" type_not_allowed'],
    [file('a.eml', 'message/rfc822', 'Subject: x'), '"a.eml" type_not_allowed'],
    [file('a.bin', 'application/octet-stream'), '"a.bin" executable'],
    [file('a.dat', 'application/octet-stream'), '"a.dat" type_not_allowed'],
    [file('winmail.dat', 'application/ms-tnef'), '"winmail.dat" type_not_allowed'],
    [file('../a.pdf', 'application/pdf'), '"../a.pdf" invalid_filename'],
    [file('a\u202efdp.exe', 'application/pdf'), '"a\\u202efdp.exe" invalid_filename'],
    [file('Größe.exe', 'application/pdf'), '"Gr\\u00f6\\u00dfe.exe" executable'],
    [file(['a.pdf', 'b.exe'], 'application/pdf'), '"a.pdf" executable'],
    [file(['a.txt', 'b.html'], 'text/plain', 'x'), '"a.txt" type_mismatch'],
    [file(['a.pdf', 'b/c.pdf'], 'application/pdf'), '"a.pdf" invalid_filename'],
    [file([], 'application/octet-stream', 'MZ'), 'attachment 1 executable'],
    [file(`${'a'.repeat(100)}.exe`, ''), `"${'a'.repeat(60)}..." executable`],
  ])('are refused by name: %#', async (one, wanted) => {
    expect(await judge(file('good.pdf'), one)).toBe(wanted.replace('attachment 1', 'attachment 2'));
  });

  it('are checked completely, wherever the slices of quoted-printable end', async () => {
    const text = 'Gr=C3=BC=C3=9Fe=\r\n, and again\r\n'.repeat(100_000);
    const encoded = (end: string): FoundFile => ({
      ...file('a.csv', 'text/csv'),
      encoding: 'quoted-printable',
      encoded: Buffer.from(text + end),
    });
    expect(await judge(encoded('x'))).toBeNull();
    expect(await judge(encoded('=00'))).toBe('"a.csv" type_mismatch');
  });

  it('are refused beyond ten', async () => {
    const ten = Array.from({ length: 10 }, (_, i) => file(`${i}.pdf`));
    expect(await judge(...ten)).toBeNull();
    expect(await judge(...ten, file('11th.pdf'))).toBe('"11th.pdf" too_many');
  });

  it.each([
    ['base64', 'text/plain', 'a line of text, as it is in a file\r\n'],
    ['quoted-printable', 'text/plain', 'Gr=C3=BC=C3=9Fe, =C2=A3 1 =3D 100 p\r\n'],
    ['quoted-printable', 'text/csv', '=41'],
    ['8bit', 'text/plain', 'Größe\r\n'],
  ])('are checked in linear time when they are large: %s of %s', async (encoding, contentType, piece) => {
    const content = Buffer.from(piece.repeat(7_500_000 / piece.length));
    const encoded = encoding === 'base64' ? Buffer.from(content.toString('base64')) : content;
    const name = contentType === 'text/csv' ? 'a.csv' : 'a.txt';
    expect(await judge({ names: [name], contentType, encoding, encoded })).toBeNull();
  });
});
