import { describe, expect, it } from 'vitest';
import { composeMessage, headerProblem } from './compose-message.js';

const PARTS = {
  from: { name: '', address: 'news@ex.com' },
  to: [{ name: '', address: 'b@ex.org' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  messageId: 'm1@ex.com',
  date: new Date('2026-11-01T10:00:00Z'),
  text: 'Hello',
  attachments: [],
  boundarySeed: 'em_1',
};

describe('References', () => {
  const ids = (count: number, separator: string) =>
    Array.from({ length: count }, (_, i) => `<${String(i).padStart(40, 'x')}@mail.example.com>`).join(separator);

  it.each([
    [30, ' '],
    [60, ' '],
    [60, '  '],
    [400, ' '],
    // RFC 5322 section 3.6.4: white space between the ids is optional.
    [60, ''],
  ])('with %i ids separated by %j are folded between them', async (count, separator) => {
    for (const name of ['References', 'In-Reply-To']) {
      expect(headerProblem(name, ids(count, separator))).toBeUndefined();
      const message = (await composeMessage({ ...PARTS, headers: [[name, ids(count, separator)]] })).toString('latin1');
      const [head] = message.split('\r\n\r\n', 1);
      expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
      expect(head.replaceAll('\r\n ', ' ')).toContain(`${name}: ${ids(count, ' ')}`);
    }
  });
});
