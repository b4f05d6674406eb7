import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWindow } from './time-window.js';

const at = (text: string) => Date.parse(`2026-03-01T${text}Z`);
const cut = (from: string, to: string) => splitWindow(new Date(at(from)), new Date(at(to)));

describe('splitWindow', () => {
  it('takes whole minutes from the roll-up and the rest from the events', () => {
    expect(cut('10:00:30.500', '10:05:10.001')).toEqual({
      head: [at('10:00:30.500'), at('10:01:00.000')],
      minutes: [at('10:01:00.000'), at('10:05:00.000')],
      tail: [at('10:05:00.000'), at('10:05:10.001')],
    });
  });

  it('reads only the events if no whole minute fits', () => {
    expect(cut('10:00:30.000', '10:01:20.000').minutes).toEqual([0, 0]);
    expect(cut('10:00:30.000', '10:01:20.000').head).toEqual([at('10:00:30.000'), at('10:01:20.000')]);
  });

  it('is empty for an empty window', () => {
    const { head, minutes, tail } = cut('10:05:00.000', '10:00:00.000');
    for (const [first, last] of [head, minutes, tail]) expect(last).toBe(first);
  });

  it('covers every millisecond of any window exactly once', () => {
    const instant = fc.integer({ min: at('00:00:00.000'), max: at('00:04:00.000') });
    fc.assert(
      fc.property(instant, instant, instant, (from, to, moment) => {
        const { head, minutes, tail } = splitWindow(new Date(from), new Date(to));
        const hits = [head, minutes, tail].filter(([first, last]) => moment >= first && moment < last).length;
        expect(hits).toBe(moment >= from && moment < to ? 1 : 0);
      }),
    );
  });
});
