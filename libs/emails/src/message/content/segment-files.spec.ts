import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SegmentFiles } from './segment-files.js';
import { checksumOf, ContentUnavailable, type ContentRef } from './segment-store.js';

const DAY = '2026-11-27';
const bodies = (...texts: string[]) => texts.map((text) => Buffer.from(text));

describe('SegmentFiles', () => {
  let folder: string;
  let files: SegmentFiles;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postloft-segments-'));
    files = new SegmentFiles(join(folder, 'contents'), 1_000);
  });
  afterEach(async () => {
    await files.close();
    rmSync(folder, { recursive: true });
  });

  const pathOf = ({ segment }: ContentRef) => join(folder, 'contents', segment.slice('files/'.length));

  it('returns what was appended, group after group', async () => {
    const first = await files.append(bodies('one', 'zwei', ''), DAY);
    const second = await files.append(bodies('three'), DAY);
    expect(first.map(({ position, bytes }) => [position, bytes])).toEqual([
      [0, 3],
      [3, 4],
      [7, 0],
    ]);
    expect(second[0]).toMatchObject({
      segment: first[0].segment,
      position: 7,
      checksum: checksumOf(Buffer.from('three')),
    });
    const texts = await Promise.all([...first, ...second].map(async (ref) => String(await files.read(ref))));
    expect(texts).toEqual(['one', 'zwei', '', 'three']);
    expect(statSync(pathOf(first[0])).mode & 0o777).toBe(0o600);
  });

  it('keeps groups apart that are written at the same time', async () => {
    const groups = Array.from({ length: 8 }, (_, i) => bodies(`${i}`.repeat(100 + i), `${i}`.repeat(7)));
    const refs = await Promise.all(groups.map((group) => files.append(group, DAY)));
    for (const [i, group] of groups.entries())
      for (const [at, body] of group.entries()) expect(await files.read(refs[i][at])).toEqual(body);
  });

  it('begins a new file when one is full, and on another day', async () => {
    const [a] = await files.append([Buffer.alloc(2_000, 'a')], DAY);
    const [b] = await files.append(bodies('b'), DAY);
    const [c] = await files.append(bodies('c'), '2026-11-28');
    expect(new Set([a, b, c].map(({ segment }) => segment)).size).toBe(3);
    expect(await files.days()).toEqual([DAY, '2026-11-28']);
    await files.deleteDay(DAY);
    expect(await files.days()).toEqual(['2026-11-28']);
    await expect(files.read(a)).rejects.toBeInstanceOf(ContentUnavailable);
    expect(String(await files.read(c))).toBe('c');
  });

  it('erases bodies and leaves those beside them', async () => {
    const [a, b, c] = await files.append(bodies('left', 'secret', 'right'), DAY);
    await files.erase(b.segment, [b]);
    expect(readFileSync(pathOf(b), 'latin1')).toBe(`left${'\0'.repeat(6)}right`);
    expect([String(await files.read(a)), String(await files.read(c))]).toEqual(['left', 'right']);
  });

  it('says that content cannot be read of a file that is shorter, or missing', async () => {
    const [ref] = await files.append(bodies('content'), DAY);
    truncateSync(pathOf(ref), 3);
    await expect(files.read(ref)).rejects.toBeInstanceOf(ContentUnavailable);
    rmSync(pathOf(ref));
    await expect(files.read(ref)).rejects.toBeInstanceOf(ContentUnavailable);
    await expect(files.erase(ref.segment, [ref])).rejects.toBeInstanceOf(ContentUnavailable);
  });

  it('reads no file outside of its folder', async () => {
    const ref = { segment: `files/../${DAY}/0123456789abcdef-1`, position: 0, bytes: 1, checksum: 0 };
    await expect(files.read(ref)).rejects.toBeInstanceOf(Error);
    expect(readdirSync(folder)).toEqual([]);
    expect(await files.days()).toEqual([]);
  });

  it('fails where nothing can be written, and recovers', async () => {
    writeFileSync(join(folder, 'contents'), '');
    await expect(files.append(bodies('a'), DAY)).rejects.toThrow('ENOTDIR');
    rmSync(join(folder, 'contents'));
    await expect(files.append(bodies('a'), DAY)).resolves.toHaveLength(1);
  });
});
