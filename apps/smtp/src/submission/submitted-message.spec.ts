import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../test/support/timing/count-turns.js';
import { readHeaderMailboxes } from './submitted-message.js';

describe('readHeaderMailboxes', () => {
  it('reads each list in its order, and drops entries that are not addresses', async () => {
    const mailboxes = await readHeaderMailboxes({
      to: ['A <a@ex.org>', 'junk', ''],
      cc: [],
      replyTo: ['b@ex.org', 'c@ex.org'],
    });
    expect(mailboxes).toEqual({
      to: [{ address: 'a@ex.org', name: 'A' }],
      cc: [],
      replyTo: [
        { address: 'b@ex.org', name: '' },
        { address: 'c@ex.org', name: '' },
      ],
    });
  });

  it('yields to the event loop while it reads a long list', async () => {
    const to = Array.from({ length: 50_000 }, (_, i) => `ü${i}@ü${i}.example`);
    const counter = countTurns();
    const mailboxes = await readHeaderMailboxes({ to, cc: [], replyTo: [] });
    counter.running = false;
    expect(mailboxes.to).toHaveLength(50_000);
    expect(counter.turn).toBeGreaterThan(5);
  });
});
