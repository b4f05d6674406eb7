import { wholeAccount } from '#libs/contracts';
import { statsWords } from '#libs/stats';
import { describe, expect, it } from 'vitest';
import { countsWindow, previousRange, toMetricsQuery } from './stats-query.js';
import { dateOrTimestampRule } from '../validation/query-rules.js';
import { groupsRule, listOfIdsRule, timezoneRule, listOfValuesRule } from './stats-rules.js';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const windowOf = (given: object) => {
  const { from, to } = toMetricsQuery(wholeAccount('acc_1'), given, NOW);
  return [from.toISOString(), to.toISOString()];
};

describe('toMetricsQuery', () => {
  it('requests all metrics of the last seven days by default', () => {
    expect(toMetricsQuery(wholeAccount('acc_1'), {}, NOW)).toEqual({
      visibility: wholeAccount('acc_1'),
      from: new Date('2026-03-04T00:00:00.000Z'),
      to: NOW,
      timezone: 'UTC',
      granularity: 'day',
      metrics: statsWords.metrics,
      dimensions: [],
      groupBy: [],
      percentiles: [],
      domainIds: null,
      emailIds: null,
    });
  });

  it('reads a date as the whole day in the time zone, and a timestamp as it is', () => {
    expect(windowOf({ start_date: '2026-03-01', end_date: '2026-03-01' })).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ]);
    expect(windowOf({ start_date: '2026-03-07', end_date: '2026-03-08', timezone: 'America/New_York' })).toEqual([
      '2026-03-07T05:00:00.000Z',
      '2026-03-09T04:00:00.000Z',
    ]);
    expect(windowOf({ start_date: '2026-03-01T10:00:00+02:00', end_date: '2026-03-02T00:00:00Z' })).toEqual([
      '2026-03-01T08:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ]);
  });

  it('has seven days without a start, today or the last one included', () => {
    expect(windowOf({ timezone: 'Asia/Tokyo' })[0]).toBe('2026-03-03T15:00:00.000Z');
    expect(windowOf({ end_date: '2026-03-07' })).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-08T00:00:00.000Z']);
  });

  it('ends now at the latest and refuses a range that does not start before it ends', () => {
    expect(windowOf({ end_date: '2030-01-01' })[1]).toBe(NOW.toISOString());
    expect(windowOf({ start_date: '2026-03-10', end_date: '2026-03-10' })[1]).toBe(NOW.toISOString());
    for (const given of [
      { start_date: '2026-03-11' },
      { start_date: '2026-03-02', end_date: '2026-03-01' },
      { start_date: '2026-03-01T00:00:00Z', end_date: '2026-03-01T00:00:00Z' },
    ])
      expect(() => toMetricsQuery(wholeAccount('acc_1'), given, NOW)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter' }),
      );
    for (const end_date of ['9999-12-31', '0001-01-01']) expect(() => windowOf({ end_date })).not.toThrow();
  });

  it('removes duplicate items and normalises time zone names', () => {
    const of = toMetricsQuery(
      wholeAccount('acc_1'),
      { metrics: 'sent, sent,delivered', group_by: 'tag:a.b,ip', timezone: 'europe/berlin', percentiles: 'p50' },
      NOW,
    );
    expect(of).toMatchObject({ metrics: ['sent', 'delivered'], groupBy: ['tag:a.b', 'ip'], percentiles: ['p50'] });
    expect(of.timezone).toBe('Europe/Berlin');
  });

  it('takes from and to for start_date and end_date, and one spelling of each', () => {
    const dates = { start_date: '2026-03-01', end_date: '2026-03-02' };
    expect(windowOf({ from: dates.start_date, to: dates.end_date })).toEqual(windowOf(dates));
    expect(windowOf({ from: dates.start_date, end_date: dates.end_date })).toEqual(windowOf(dates));
    for (const [given, field] of [
      [{ ...dates, from: '2026-03-01' }, 'from'],
      [{ ...dates, to: '2026-03-02' }, 'to'],
      [{ from: '2026-03-02', to: '2026-03-01' }, 'from'],
    ] as const)
      expect(() => windowOf(given)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter', details: [expect.objectContaining({ field })] }),
      );
  });

  it('takes tag:<key> for tags.<key>', () => {
    const { groupBy } = toMetricsQuery(
      wholeAccount('acc_1'),
      { group_by: 'tags.a.b,tag:a.b,host,tags.c,api_key' },
      NOW,
    );
    expect(groupBy).toEqual(['tag:a.b', 'host', 'tag:c', 'api_key']);
  });
});

describe('previousRange', () => {
  it('is as long as the range and ends where it starts', () => {
    const range = { from: new Date('2026-03-02T10:00:00Z'), to: new Date('2026-03-04T11:00:00Z') };
    expect(previousRange(range)).toEqual({ from: new Date('2026-02-28T09:00:00Z'), to: range.from });
  });
});

describe('countsWindow', () => {
  it('is null as soon as there is a parameter of GET /stats', () => {
    expect(countsWindow({ from: '2026-03-01T00:00:00Z', to: '2026-03-02' })).toEqual({
      from: new Date('2026-03-01T00:00:00Z'),
      to: new Date('2026-03-03T00:00:00Z'),
    });
    expect(countsWindow({})).not.toBeNull();
    for (const given of [
      { granularity: 'day' },
      { start_date: '2026-03-01' },
      { compare: 'previous' },
      { metrics: 'sent' },
    ])
      expect(countsWindow(given)).toBeNull();
  });
});

describe('rules of statistics parameters', () => {
  const passes = (rule: (value: unknown) => object[], value: unknown) => rule(value).length === 0;
  const bad = [undefined, null, 7, '', [], ['sent'], {}, 'nope', 'sent,', ',sent', 'constructor', '\0', '🙂'];

  it('accept only known values, ids, dates and time zones', () => {
    const id = `dom_${'0'.repeat(32)}`;
    expect(passes(listOfValuesRule(['sent', 'opened']), 'opened, sent')).toBe(true);
    expect(passes(listOfIdsRule('dom'), `dom_01978c0e5f7b7c3a9d21f0b64c1e88aa`)).toBe(true);
    expect(passes(groupsRule(['ip']), 'ip,tag:a,tag:b-c_d.e,tags.a,tags.b.c')).toBe(true);
    for (const value of bad) expect(passes(listOfValuesRule(['sent', 'opened']), value)).toBe(false);
    for (const value of [...bad, `em_${id}`, `${id}x`]) expect(passes(listOfIdsRule('dom'), value)).toBe(false);
    for (const value of [...bad, 'tag:', 'tag:ä', 'tags:a', 'tag.a', 'tags.', 'tags', `tag:${'x'.repeat(51)}`])
      expect(passes(groupsRule(['ip']), value)).toBe(false);
    for (const value of ['2026-02-28', '2026-02-28T10:00:00Z', '2024-02-29'])
      expect(passes(dateOrTimestampRule, value)).toBe(true);
    for (const value of [...bad, '2026-02-30', '2026-2-3', '2026-02-28T10:00:00', '28.02.2026', '20260228'])
      expect(passes(dateOrTimestampRule, value)).toBe(false);
    for (const value of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'etc/gmt+3'])
      expect(passes(timezoneRule, value)).toBe(true);
    for (const value of [...bad, 'Mars/Base', 'UTC; DROP']) expect(passes(timezoneRule, value)).toBe(false);
  });

  it('limit the number of items', () => {
    const ids = Array.from({ length: 101 }, (_, i) => `dom_01978c0e5f7b7c3a9d21f0b64c1e${String(i).padStart(4, '0')}`);
    expect(passes(listOfIdsRule('dom'), ids.slice(0, 100).join())).toBe(true);
    expect(passes(listOfIdsRule('dom'), ids.join())).toBe(false);
  });

  it('takes the domains of a limited key, and refuses others', () => {
    const limited = { ...wholeAccount('acc_1'), domainIds: new Set(['dom_a']) };
    expect(toMetricsQuery(limited, { domain_id: 'dom_a' }, NOW)).toMatchObject({
      visibility: limited,
      domainIds: ['dom_a'],
    });
    expect(() => toMetricsQuery(limited, { domain_id: 'dom_a,dom_b' }, NOW)).toThrow(
      expect.objectContaining({ code: 'restricted_api_key' }),
    );
  });
});
