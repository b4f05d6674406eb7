// What is asked of `GET /emails`: each filter with a value that half of the mails have, one that only the oldest thousand
// have, and one that none has; then combinations.
import { DOMAINS } from './fill.mjs';

const DAY_MS = 86_400_000;
/** @param {number} days */
const daysAgo = (days) => new Date(Date.now() - days * DAY_MS).toISOString();

/** @typedef {{ filter: string, matches: string, query: Record<string, string>, rows: 'page' | 'some' | 'none' }} Question */

/** @param {string} filter @param {Record<'half' | 'oldest' | 'none', string>} values @returns {Question[]} */
const three = (filter, { half, oldest, none }) => [
  { filter, matches: '500,000', query: { [filter]: half }, rows: 'page' },
  { filter, matches: 'the oldest 1,000', query: { [filter]: oldest }, rows: 'page' },
  { filter, matches: 'none', query: { [filter]: none }, rows: 'none' },
];

/** @returns {Question[]} */
export function questions() {
  const half = {
    status: 'delivered',
    from: 'half@sender.example',
    'tags[campaign]': 'half',
    subject: 'order',
    to: 'half@customer.example',
  };
  return [
    { filter: 'no filter', matches: '1,000,000', query: {}, rows: 'page' },
    ...three('status', { half: 'delivered', oldest: 'complained', none: 'failed' }),
    { filter: 'status', matches: 'none', query: { status: 'sending' }, rows: 'none' },
    ...three('last_event', { half: 'opened', oldest: 'complained', none: 'clicked' }),
    ...three('to', { half: half.to, oldest: 'oldest@customer.example', none: 'nobody@customer.example' }),
    { filter: 'to', matches: '1', query: { to: 'USER1207@customer.example' }, rows: 'some' },
    ...three('from', { half: half.from, oldest: 'oldest@sender.example', none: 'none@sender.example' }),
    ...three('domain', { half: DOMAINS.half, oldest: DOMAINS.oldest, none: DOMAINS.none }),
    { filter: 'domain', matches: 'none', query: { domain: 'sandbox.postloft.test' }, rows: 'none' },
    ...three('subject', { half: half.subject, oldest: 'oldest', none: 'invoice' }),
    { filter: 'subject', matches: '1', query: { subject: 'order 1207 has' }, rows: 'some' },
    ...three('tags[campaign]', { half: 'half', oldest: 'oldest', none: 'winter' }),
    { filter: 'tags[order]', matches: '1', query: { 'tags[order]': '1207' }, rows: 'some' },
    { filter: 'scheduled', matches: '500,000', query: { scheduled: 'true' }, rows: 'page' },
    { filter: 'created_after', matches: '500,000', query: { created_after: daysAgo(30) }, rows: 'page' },
    { filter: 'created_after', matches: 'none', query: { created_after: daysAgo(-1) }, rows: 'none' },
    { filter: 'created_before', matches: '500,000', query: { created_before: daysAgo(30) }, rows: 'page' },
    { filter: 'created_before', matches: 'the oldest', query: { created_before: daysAgo(59.95) }, rows: 'page' },
    { filter: 'created_before', matches: 'none', query: { created_before: daysAgo(80) }, rows: 'none' },
    { filter: 'status + from', matches: '250,000', query: { status: half.status, from: half.from }, rows: 'page' },
    { filter: 'status + from', matches: 'none', query: { status: 'complained', from: half.from }, rows: 'none' },
    { filter: 'tags + subject', matches: 'none', query: { 'tags[order]': '1207', subject: 'oldest' }, rows: 'none' },
    { filter: 'five filters', matches: '31,000', query: half, rows: 'page' },
    {
      filter: 'status + from + created_before',
      matches: '125,000',
      query: { status: half.status, from: half.from, created_before: daysAgo(30) },
      rows: 'page',
    },
    {
      filter: 'subject + created_after',
      matches: 'none',
      query: { subject: 'oldest', created_after: daysAgo(30) },
      rows: 'none',
    },
    { filter: 'limit=100, from', matches: '500,000', query: { from: half.from, limit: '100' }, rows: 'page' },
  ];
}
