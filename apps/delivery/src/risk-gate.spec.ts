import { describe, expect, it } from 'vitest';
import { FairPlaces, type Place } from './fair-places.js';
import { RiskGate } from './risk-gate.js';

/** So many dialogues at the gate; the places of those that it let in. */
function crowd(gate: RiskGate, size: number): Place[] {
  const inside: Place[] = [];
  const dialogue = async (): Promise<void> => {
    const place = await gate.enter('a');
    if (place) inside.push(place);
  };
  for (let i = 0; i < size; i++) void dialogue();
  return inside;
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('RiskGate', () => {
  it('opens to its full width once a queue that was kept to its share gives places back soon', async () => {
    const gate = new RiskGate(new FairPlaces(50, 1_000));
    const inside = crowd(gate, 80);
    await turn();
    expect(inside.length).toBeLessThan(25);
    gate.leave(inside[0]);
    await turn();
    expect(inside.length - 1).toBe(50);
    gate.close();
  });
});
