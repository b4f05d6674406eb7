import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const HELD_OUT_BYTES = 64;

/** The rows of a file of `test/golden` below its heading, each as the cells between tabs. */
export function readTable(file: URL): string[][] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}

/** The part that a sample belongs to is no choice: a quarter of all hashes. */
export function partOf(sample: string): 'known' | 'held-out' {
  return createHash('sha256').update(sample).digest()[0] < HELD_OUT_BYTES ? 'held-out' : 'known';
}

/** Each character is one octet. */
export function base64Lines(text: string): string {
  const encoded = Buffer.from(text, 'latin1').toString('base64');
  return (encoded.match(/.{1,76}/g) ?? []).join('\n');
}
