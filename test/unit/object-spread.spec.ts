import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { objectSpread } from '../../tools/object-spread.mjs';

const MODULE = `
  // Ünïcödé 📮 before the literals: their positions are not those of the bytes.
  const row = { id: 1, at: 2 };
  const hostile = JSON.parse('{"__proto__": {"admin": true}, "id": 3}');
  const { ...copy } = row;
  const rest = ({ id, ...others }) => others;
  export const results = [
    { ...row, at: 5, name: 'é📮' },
    { ...row, ...{ id: 9 }, nested: [{ ...row, deep: { ...row } }] },
    { ...hostile, last: 1 },
    { ...null, ...undefined, one: 1 },
    { ...[1, 2], ...'ab' },
    { ...row, get double() { return this.id * 2; } },
    copy,
    rest({ ...row, more: true }),
  ];
  export const prototypes = results.map((result) => Object.getPrototypeOf(result) === Object.prototype);
  export const keys = results.map((result) => Object.keys(result));
`;

/** The exports of the module after bundling, and its code. */
async function bundled(plugins: (typeof objectSpread)[]) {
  const source = { name: 'source', resolveId: (id: string) => id, load: () => MODULE };
  const bundle = await rolldown({ input: 'module', plugins: [source, ...plugins] });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const [{ code }] = output;
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const exports = (await import(url)) as { results: unknown[]; prototypes: boolean[]; keys: string[][] };
  return { code, exports };
}

describe('objectSpread', () => {
  it('changes the literals that begin with a spread, but none of their values, keys and prototypes', async () => {
    const [plain, changed] = [await bundled([]), await bundled([objectSpread])];
    expect(plain.code).not.toContain('__proto__: Object.prototype');
    expect(changed.code.match(/__proto__: Object\.prototype/g)).toHaveLength(8);
    expect(changed.exports.keys).toEqual(plain.exports.keys);
    expect(changed.exports.prototypes).toEqual(plain.exports.prototypes);
    expect(JSON.stringify(changed.exports.results)).toBe(JSON.stringify(plain.exports.results));
    expect(changed.exports.keys[2]).toEqual(['__proto__', 'id', 'last']);
  });
});
