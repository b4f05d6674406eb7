import { describe, expect, it } from 'vitest';
import { FILTERS, filterOf, waitingAt, type FilterValues } from './filter.ts';

const ALWAYS = { from: null, to: null };

/** The values of the filters in an address. */
function valuesOf(address: string): FilterValues {
  const { searchParams } = new URL(address, 'http://localhost');
  return Object.fromEntries(FILTERS.map((name) => [name, searchParams.get(name)])) as FilterValues;
}

describe('filterOf', () => {
  it.each([
    ['/emails', null],
    ['/emails?unknown=1', null],
    ['/emails?to=a%40example.com', { to: 'a@example.com' }],
    ['/emails?from=a%40example.com&subject=Hello', { from: 'a@example.com', subject: 'Hello' }],
    ['/emails?search=ada', { search: 'ada' }],
    ['/emails?status=bounced', { status: 'bounced' }],
    ['/emails?status=waiting', { waiting: true }],
    [waitingAt('example.com'), { waiting: true, recipientDomain: 'example.com' }],
    ['/emails?domain=mail.example.com&event=opened', { domain: 'mail.example.com', lastEvent: 'opened' }],
    ['/emails?scheduled=true', { scheduled: true }],
    ['/emails?scheduled=false', { scheduled: false }],
    ['/emails?tag=campaign%3A+spring%3A1', { tags: [{ key: 'campaign', value: 'spring:1' }] }],
    ['/emails?tag=campaign', null],
  ])('%s', (address, filter) => {
    expect(filterOf(valuesOf(address), ALWAYS)).toEqual(filter);
  });

  it('contains the ends of the period', () => {
    const from = '2026-03-01T00:00:00.000Z';
    expect(filterOf(valuesOf('/emails'), { from, to: null })).toEqual({ createdAfter: from });
    expect(filterOf(valuesOf('/emails'), { from: null, to: from })).toEqual({ createdBefore: from });
  });
});
