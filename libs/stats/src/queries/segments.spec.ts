import { describe, expect, it } from 'vitest';
import { answerableRange, segmentsOf, unitOf, type Segment } from './segments.js';

const time = (text: string) => new Date(`${text}Z`);
const range = (from: string, to: string) => ({ from: time(from), to: time(to) });
const KEPT = { events: Date.parse('2026-01-01T00:00:00Z'), minute: Date.parse('2026-03-01T00:00:00Z') };
const text = (segments: Segment[] | null) =>
  segments?.map(
    ({ source, from, to }) =>
      `${source} ${new Date(from).toISOString().slice(5, 23)} ${new Date(to).toISOString().slice(5, 23)}`,
  );

describe('segmentsOf', () => {
  it('reads whole days, then hours, minutes and events at the edges', () => {
    const segments = segmentsOf(range('2026-03-10T22:58:30.500', '2026-03-13T01:00:00.001'), {
      rollup: 'counts',
      unit: 'day',
      kept: KEPT,
    });
    expect(text(segments)).toEqual([
      'events 03-10T22:58:30.500 03-10T22:59:00.000',
      'minute 03-10T22:59:00.000 03-10T23:00:00.000',
      'hour 03-10T23:00:00.000 03-11T00:00:00.000',
      'day 03-11T00:00:00.000 03-13T00:00:00.000',
      'hour 03-13T00:00:00.000 03-13T01:00:00.000',
      'events 03-13T01:00:00.000 03-13T01:00:00.001',
    ]);
  });

  it('reads nothing coarser than the periods', () => {
    const of = range('2026-03-10T00:00:00', '2026-03-12T00:00:00');
    const sources = (unit: 'minute' | 'quarter' | 'hour' | null) =>
      segmentsOf(of, { rollup: 'counts', unit, kept: KEPT })?.map(({ source }) => source);
    expect(sources('hour')).toEqual(['hour']);
    expect(sources('quarter')).toEqual(['quarter']);
    expect(sources('minute')).toEqual(['minute']);
    expect(sources(null)).toEqual(['events']);
  });

  it('reads groups from quarters and days', () => {
    const segments = segmentsOf(range('2026-03-10T23:50:00', '2026-03-12T00:15:00'), {
      rollup: 'groups',
      unit: 'day',
      kept: KEPT,
    });
    expect(segments?.map(({ source }) => source)).toEqual(['events', 'day', 'quarter']);
  });

  it('replaces expired minutes by quarters or events, and is null where neither is exact', () => {
    const plan = (from: string, to: string, unit: 'day' | 'minute') =>
      segmentsOf(range(from, to), { rollup: 'counts', unit, kept: KEPT })?.map(({ source }) => source) ?? null;
    expect(plan('2026-02-01T00:15:00', '2026-02-01T02:00:00', 'day')).toEqual(['quarter', 'hour']);
    expect(plan('2026-02-01T00:01:00', '2026-02-01T00:02:00', 'minute')).toEqual(['events']);
    expect(plan('2025-12-01T00:01:00', '2025-12-01T00:02:00', 'minute')).toBeNull();
  });

  it('covers every range exactly, in order and without gaps', () => {
    for (let i = 0; i < 500; i++) {
      const start = KEPT.minute + Math.floor(Math.random() * 3 * 86_400_000);
      const end = start + 1 + Math.floor(Math.random() * 3 * 86_400_000);
      const rollup = i % 2 ? 'counts' : 'groups';
      const of = { from: new Date(start), to: new Date(end) };
      const segments = segmentsOf(of, { rollup, unit: 'day', kept: KEPT }) ?? [];
      expect(segments[0].from).toBe(start);
      expect(segments.at(-1)?.to).toBe(end);
      segments.slice(1).forEach((segment, n) => expect(segment.from).toBe(segments[n].to));
    }
  });
});

describe('answerableRange', () => {
  const shown = (from: string, to: string, rollup: 'counts' | 'groups') => {
    const answered = answerableRange(range(from, to), rollup, KEPT);
    return [answered.from.toISOString().slice(0, 23), answered.to.toISOString().slice(0, 23)];
  };

  it('keeps edges whose events are kept, and moves older ones outwards', () => {
    const exact = ['2026-03-10T10:07:08.009', '2026-03-10T10:07:08.010'];
    expect(shown(exact[0], exact[1], 'counts')).toEqual(exact);
    const old = ['2025-12-10T10:07:08.009', '2025-12-11T10:07:08.009'];
    expect(shown(old[0], old[1], 'counts')).toEqual(['2025-12-10T10:00:00.000', '2025-12-11T10:15:00.000']);
    expect(shown(old[0], exact[1], 'groups')).toEqual(['2025-12-10T10:00:00.000', exact[1]]);
  });
});

describe('unitOf', () => {
  it('is the longest level that no inner start of a period divides', () => {
    const of = range('2026-03-10T10:07:00', '2026-03-20T00:00:00');
    const unit = (...starts: string[]) =>
      unitOf(
        starts.map((start) => time(start).getTime()),
        of,
      );
    expect(unit()).toBe('day');
    expect(unit('2026-03-10T10:05:00', '2026-03-11T00:00:00')).toBe('day');
    expect(unit('2026-03-11T23:00:00')).toBe('hour');
    expect(unit('2026-03-11T18:15:00')).toBe('quarter');
    expect(unit('2026-03-11T18:16:00')).toBe('minute');
    expect(unit('2026-03-11T18:16:20')).toBeNull();
  });
});
