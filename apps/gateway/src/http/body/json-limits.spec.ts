import { Refusal } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../../test/support/timing/must-return.js';
import { checkJsonLimits, JsonScanner } from './json-limits.js';

const LIMITS = { depth: 32, perElement: 20_000, inAll: 60_000 };
const MEGABYTE = 1024 * 1024;

function problemOf(body: string | Buffer): string | null {
  try {
    checkJsonLimits(Buffer.isBuffer(body) ? body : Buffer.from(body), LIMITS);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).code).toBe('malformed_json');
    return (error as Refusal).details[0].code;
  }
}
const fill = (piece: string, bytes = 16 * MEGABYTE) => Buffer.alloc(bytes, piece);
const quoted = (piece: string) => Buffer.from(`"${piece.repeat((16 * MEGABYTE) / piece.length)}"`);

describe('checkJsonLimits', () => {
  it.each([
    ['{"to":["a@x.test"],"subject":"s"}'],
    ['{"a":{"b":1},"c":{"b":2}}'],
    ['{"html":"<p>\\"quoted\\" \\\\ {[,:]} \\u00e9 \\ud83d\\ude00</p>"}'],
    ['{"emoji":"😀","empty":"","list":[],"deep":[[[{"a":null}]]]}'],
    ['{"list":["a","a"],"a":"a"}'],
    [' \r\n\t{ "a" : 1e999 }\n'],
    ['"text"'],
    ['[1,2,3]'],
  ])('accepts %s', (body) => {
    expect(problemOf(body)).toBeNull();
  });

  it('limits each element of the outermost array, and the whole body', () => {
    const elements = (count: number) => Array<string>(count).fill(`[${'0,'.repeat(19_000)}0]`);
    expect(problemOf(`[${elements(3).join(',')}]`)).toBeNull();
    expect(problemOf(`[${elements(4).join(',')}]`)).toBe('too_complex');
  });

  it.each([
    ['nesting beyond 32', '['.repeat(33), 'too_deep'],
    ['nesting of objects', '{"a":'.repeat(33), 'too_deep'],
    ['more than 20,000 structural characters', `{"a":[${'0,'.repeat(20_001)}0]}`, 'too_complex'],
    ['the same in an element', `[{},[${'0,'.repeat(20_001)}0]]`, 'too_complex'],
    ['strings without separators', '""'.repeat(20_001), 'too_complex'],
    ['a key given twice', '{"from":"a","from":"b"}', 'duplicate_key'],
    ['a key given twice in different spelling', '{"from":"a","fr\\u006fm":"b"}', 'duplicate_key'],
    ['a key given twice in a nested object', '{"tags":{"a":"1","b":"2","a":"3"}}', 'duplicate_key'],
    ['__proto__', '{"__proto__":{"polluted":true}}', 'forbidden_key'],
    ['an escaped __proto__', '{"\\u005f_proto__":1}', 'forbidden_key'],
    ['constructor', '{"tags":{"constructor":{"prototype":1}}}', 'forbidden_key'],
    ['a lone high surrogate', '{"subject":"\\ud800"}', 'invalid_unicode'],
    ['a lone low surrogate', '{"subject":"\\udc00x"}', 'invalid_unicode'],
    ['a high surrogate before another letter', '{"subject":"\\ud83dA"}', 'invalid_unicode'],
    ['a high surrogate before another escape', '{"subject":"\\ud83d\\u0041"}', 'invalid_unicode'],
    ['NUL', '{"subject":"a\\u0000b"}', 'invalid_unicode'],
    ['a number of 100 digits', `{"a":${'1'.repeat(100)}}`, 'invalid_number'],
    ['a string without end', '{"a":"b', 'unfinished'],
    ['an escape without end', '{"a":"b\\', 'unfinished'],
    ['a broken escape in a key', '{"\\x":1}', 'invalid_escape'],
    ['a line break in a string', '{"subject":"a\nb"}', 'control_character'],
    ['a key of 300 characters', `{"${'k'.repeat(300)}":1}`, 'key_too_long'],
    ['a closing bracket too many', '[]]]', 'unbalanced'],
  ])('refuses %s', (_what, body, problem) => {
    expect(problemOf(body)).toBe(problem);
  });

  it.each([
    ['{"subject":"a\\u0000"}', 'subject'],
    ['{"a":1,"to":["a","b","\\ud800"]}', 'to[2]'],
    ['[{},{"attachments":[{"x":[1,2]},{"filename":"a\nb"}]}]', '[1].attachments[1].filename'],
    ['{"tags":{"a":"b","a":"c"}}', 'tags.a'],
    ['{"tags":{"a":"b","__proto__":"c"}}', 'tags.__proto__'],
    ['{"tags":{"a":"b","c\\u0000":"c"}}', 'tags'],
    ['["\\u0000"]', '[0]'],
    ['"\\u0000"', ''],
  ])('reports the field of a problem inside a string: %j', (body, field) => {
    expect(() => checkJsonLimits(Buffer.from(body), LIMITS)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field })] }) as Error,
    );
  });

  it.each([
    ['a surrogate written as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{"a":"é"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ])('refuses %s', (_what, body) => {
    expect(problemOf(body)).not.toBeNull();
  });

  describe('with arrays of bytes', () => {
    const scan = (body: string, slice = 1009) => {
      const arrays: Buffer[] = [];
      const scanner = new JsonScanner(
        Buffer.from(body),
        { ...LIMITS, byteArrays: true },
        { onBytes: ({ content }) => arrays.push(Buffer.concat(content)) },
      );
      while (!scanner.advance(slice));
      return arrays;
    };
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7) % 256));
    const numbers = JSON.stringify([...bytes]);

    it.each([
      ['in an email', `{"attachments":[{"filename":"a","content":${numbers}}]}`],
      ['in an element of a batch', `[{},{"attachments":[{},{"content":${numbers}}]}]`],
      ['in a Buffer in JSON', `{"attachments":[{"content":{"type":"Buffer","data":${numbers}}}]}`],
      ['with white space', `{"attachments":[{"content": [ ${numbers.slice(1, -1).replaceAll(',', ' ,\n')} ] }]}`],
    ])('reads more than 20,000 of them %s', (_where, body) => {
      expect(scan(body)).toEqual([bytes]);
    });

    it('reads several, and an empty one', () => {
      const body = '{"attachments":[{"content":[]},{"content":[0, 255]}]}';
      for (const slice of [1, 2, 3, 1009]) expect(scan(body, slice)).toEqual([Buffer.of(), Buffer.of(0, 255)]);
    });

    it.each(['256', '-1', '1.5', '1e2', '01', '"a"', 'null', '[1]', '{}', '1,', ',1', '1 2', '1,,2', '1]]'])(
      'refuses [%s] and names the field',
      (items) => {
        const parsed = (body: string) => scan(`{"attachments":[{},{"content":[${body}]}]}`);
        expect(() => parsed(items)).toThrow(Refusal);
        if (items !== '1]]')
          expect(() => parsed(items)).toThrow(
            expect.objectContaining({
              details: [expect.objectContaining({ field: 'attachments[1].content', code: 'invalid_bytes' })],
            }) as Error,
          );
      },
    );

    it.each([
      ['another field', `{"attachments":[{"path":${numbers}}]}`],
      ['another member of content', `{"attachments":[{"content":{"type":${numbers}}}]}`],
      ['content elsewhere', `{"tags":[{"content":${numbers}}]}`],
      ['content that is deeper', `{"attachments":[[{"content":${numbers}}]]}`],
      ['content that is higher', `{"attachments":{"content":${numbers}}}`],
      ['a key that looks like the path', `{"attachments[0].content":${numbers}}`],
    ])('limits %s as before', (_where, body) => {
      expect(() => scan(body)).toThrow(
        expect.objectContaining({ details: [expect.objectContaining({ code: 'too_complex' })] }) as Error,
      );
    });

    it('limits the number of arrays', () => {
      expect(() => scan(`{"attachments":[${'{"content":[1]},'.repeat(5_000)}{}]}`)).toThrow(Refusal);
    });

    it('refuses a body that ends in one', () => {
      expect(() => scan('{"attachments":[{"content":[1,2')).toThrow(Refusal);
    });

    it('limits them where they are not declared', () => {
      expect(problemOf(`{"attachments":[{"content":${numbers}}]}`)).toBe('too_complex');
    });
  });

  it.each([['['], ['{},'], ['{"a":'], ['"",'], ['""'], ['0,'], ['[],'], [':'], ['1'], ['{"a":1,']])(
    'stops within the first 256 kB of 16 MB of %s',
    (piece) => {
      const scan = new JsonScanner(fill(piece), LIMITS);
      expect(() => scan.advance(MEGABYTE / 4)).toThrow(Refusal);
    },
  );

  it('passes 16 MB of one string, of escapes and of blanks in linear time', () => {
    for (const body of [quoted('abcd'), quoted('\\"'), quoted('\\n'), quoted('\\u00e9'), fill(' ')])
      expect(mustReturn(() => problemOf(body))).toBeNull();
  });
});
