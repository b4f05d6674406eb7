import { describe, expect, it } from 'vitest';
import { firstLink } from '../../../libs/emails/src/queries/email-content.js';
import {
  attachmentProblems,
  forbiddenAttachments,
} from '../../../libs/emails/src/intake/attachments/attachment-rules.js';
import { requireAllowedFiles } from '../../../libs/emails/src/intake/attachments/relayed-attachments.js';
import { cost } from '../../support/timing/cost.js';
import { zipFile } from '../../support/samples/zip-file.js';

const SIZE = 10 * 1024 * 1024;

it('the first link of 2 MB of hostile HTML is looked for at the price of plain HTML', async () => {
  const search = (html: string) => () => {
    firstLink({ format: 'mime', body: Buffer.from(`Content-Type: text/html\r\n\r\n${html}\r\n`) });
  };
  const plain = await cost(search('<b x="y">'.repeat(2_000_000 / 9)));
  for (const hostile of ['<a ', '<a href', '<a\n', '<a href="', ' '])
    expect(await cost(search(`<a ${hostile.repeat(2_000_000 / hostile.length)}`))).toBeLessThan(20 * plain + 50);
});

it('base64 of 10 MB is refused at the price of reading it', async () => {
  const read = (content: string) => () => attachmentProblems([{ filename: 'a.pdf', content }]);
  const good = 'A'.repeat(SIZE);
  const reference = await cost(read(good));
  for (const content of ['='.repeat(SIZE), `${good.slice(0, -4)}AAA-`, 'A='.repeat(SIZE / 2)])
    expect(await cost(read(content))).toBeLessThan(2 * reference + 5);
});

describe('the type of a file', () => {
  it('of 10 MB is found at the price of reading a text, however its directory is made', async () => {
    // A file is remembered while it lives, so each look gets a copy.
    const judge = (filename: string, contentType: string, bytes: Buffer) =>
      cost(() => forbiddenAttachments([{ filename, contentType, content: Buffer.from(bytes) }]));
    const reference = await judge('a.txt', 'text/plain', Buffer.alloc(SIZE, 'héllo wörld '));
    const numbered = (count: number, name: string) => zipFile(Array.from({ length: count }, (_, i) => `${name}${i}`));
    for (const hostile of [
      numbered(10_000, 'é'.repeat(40)),
      numbered(70, 'é'.repeat(32_000)),
      Buffer.alloc(SIZE, zipFile([])),
    ])
      expect(await judge('a.zip', 'application/zip', hostile)).toBeLessThan(4 * reference);
  });

  it.each([
    ['base64', 'text/plain', 'a line of text, as it is in a file\r\n'],
    ['quoted-printable', 'text/plain', 'Gr=C3=BC=C3=9Fe, =C2=A3 1 =3D 100 p\r\n'],
    ['quoted-printable', 'text/csv', '=41'],
    ['8bit', 'text/plain', 'Größe\r\n'],
  ])('of a relayed message costs little: %s of %s', async (encoding, contentType, piece) => {
    const content = Buffer.from(piece.repeat(7_500_000 / piece.length));
    const encoded = encoding === 'base64' ? Buffer.from(content.toString('base64')) : content;
    const name = contentType === 'text/csv' ? 'a.csv' : 'a.txt';
    const hash = await cost(() => content.toString('utf8').replace(/[^\x20-\x7e]/g, ''));
    const one = { names: [name], contentType, encoding, encoded };
    const judge = () => requireAllowedFiles([one]);
    expect(await cost(judge)).toBeLessThan(20 * hash + 50);
  });
});
