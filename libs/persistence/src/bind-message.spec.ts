import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { bindMessage, type Binding } from './bind-message.js';

const { serialize } = createRequire(import.meta.url)('pg-protocol') as {
  serialize: { bind(binding: Binding): Buffer };
};

const whole = (binding: Binding): Buffer => Buffer.concat(bindMessage(binding));

describe('bindMessage', () => {
  it.each<[string, Binding]>([
    ['nothing', {}],
    ['a statement without values', { portal: 'p', statement: 'accept-4', values: [] }],
    ['text of several bytes a character', { statement: 's', values: ['', 'ä€𝄞', 'plain'] }],
    ['nulls and octets', { statement: 's', values: [null, undefined, Buffer.alloc(0), Buffer.from([0, 255, 1])] }],
    ['results in binary form', { statement: 's', values: ['1'], binary: true }],
    [
      'mapped values',
      {
        statement: 's',
        values: [1, true],
        valueMapper: (value, i) => (i === 0 ? `n${JSON.stringify(value)}` : Buffer.from('b')),
      },
    ],
    ['large octets', { statement: 's', values: ['a', Buffer.alloc(100_000, 7), 'b', Buffer.alloc(9_000, 8), null] }],
  ])('has the bytes that the client would write: %s', (_, binding) => {
    expect(whole(binding).equals(serialize.bind(binding))).toBe(true);
  });

  it('does not copy large octets', () => {
    const body = Buffer.alloc(50_000, 1);
    expect(bindMessage({ statement: 's', values: ['x', body] })).toContain(body);
  });
});
