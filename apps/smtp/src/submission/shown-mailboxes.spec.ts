import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../test/support/count-turns.js';
import { readShown } from './shown-mailboxes.js';

describe('readShown', () => {
  it('reads each list in its order, and drops what is no address', async () => {
    const shown = await readShown({ to: ['A <a@ex.org>', 'junk', ''], cc: [], replyTo: ['b@ex.org', 'c@ex.org'] });
    expect(shown).toEqual({
      to: [{ address: 'a@ex.org', name: 'A' }],
      cc: [],
      replyTo: [
        { address: 'b@ex.org', name: '' },
        { address: 'c@ex.org', name: '' },
      ],
    });
  });

  it('lets others go first while it reads a long list', async () => {
    const to = Array.from({ length: 50_000 }, (_, i) => `ü${i}@ü${i}.example`);
    const counter = countTurns();
    const shown = await readShown({ to, cc: [], replyTo: [] });
    counter.running = false;
    expect(shown.to).toHaveLength(50_000);
    expect(counter.turn).toBeGreaterThan(5);
  });
});
