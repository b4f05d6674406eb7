import { describe, expect, it } from 'vitest';
import { countHops } from './inbound-checks.js';

const hops = (text: string) => countHops(Buffer.from(text));

describe('countHops', () => {
  it.each([
    ['no field', 'Subject: x\r\n\r\nbody', 0],
    ['fields in any case, folded', 'Received: from a\r\n by b\r\nRECEIVED: c\r\nX-Received: d\r\n\r\n', 2],
    ['line feeds alone', 'Received: a\nreceived: b\n\nReceived: in the body', 2],
    ['a broken header line', 'Received: a\r\nbroken\r\nReceived: b\r\n\r\n', 2],
    ['a returned header in the body', 'Received: a\r\n\r\nReceived: b\r\nReceived: c\r\n', 1],
    ['no body', 'Received: a\r\nReceived: b', 2],
    ['nothing', '', 0],
  ])('counts with %s', (_name, text, expected) => {
    expect(hops(text)).toBe(expected);
  });
});
