import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { JsonFileError, readDataFile } from './json-reader.js';

describe('a data file of the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-data-file-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function read(content: string): number {
    writeFileSync(join(folder, 'some.json'), content);
    return readDataFile(pathToFileURL(join(folder, 'some.json')), (root) => root.number(1, 9));
  }

  it('is read by its shape', () => expect(read('7')).toBe(7));

  it('is named by its errors', () => {
    expect(() => read('10')).toThrow(new JsonFileError('some.json: the file must be a number from 1 to 9; it is 10'));
    expect(() => read('{')).toThrow('some.json: the file is not JSON: ');
    const missing = pathToFileURL(join(folder, 'none.json'));
    expect(() => readDataFile(missing, () => 0)).toThrow('none.json: cannot be read: ENOENT');
  });
});
