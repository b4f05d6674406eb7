import { expect, it } from 'vitest';
import { frames } from './frames.js';

async function decoded(bytes: Buffer): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of frames.decode(bytes)) texts.push(text);
  return texts;
}

const encoded = async (...texts: string[]): Promise<Buffer[]> => Promise.all(texts.map((text) => frames.encode(text)));

it('reads what was appended, in order', async () => {
  expect(await decoded(Buffer.concat(await encoded('one', '', 'drei — ü')))).toEqual(['one', '', 'drei — ü']);
  expect(await decoded(Buffer.alloc(0))).toEqual([]);
});

it('leaves out a last record that is torn at any byte', async () => {
  const [first, last] = await encoded('one', 'two');
  for (let length = 0; length < last.length; length++)
    expect(await decoded(Buffer.concat([first, last.subarray(0, length)])), String(length)).toEqual(['one']);
  // Blocks of the file may be allocated before they are written.
  const zeros = Buffer.concat([first, last.subarray(0, 10), Buffer.alloc(last.length - 10)]);
  expect(await decoded(zeros)).toEqual(['one']);
});

it('refuses a record that is damaged before others', async () => {
  const [first, last] = await encoded('one', 'two');
  first[first.length - 3] ^= 1;
  await expect(decoded(Buffer.concat([first, last]))).rejects.toThrow('is damaged at byte 0');
});
