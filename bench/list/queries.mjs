// The queries of `GET /emails` that are measured: each filter with a value that half of the messages have, one that
// only the oldest thousand have, and one that none has; then combinations.
import { DOMAINS } from './fill.mjs';

const DAY_MS = 86_400_000;
/** @param {number} days */
const daysAgo = (days) => new Date(Date.now() - days * DAY_MS).toISOString();

/** @typedef {{ filter: string, matches: string, parameters: Record<string, string>, rows: 'page' | 'some' | 'none' }} ListQuery */

/** @param {string} filter @param {Record<'half' | 'oldest' | 'none', string>} values @returns {ListQuery[]} */
const three = (filter, { half, oldest, none }) => [
  { filter, matches: '500,000', parameters: { [filter]: half }, rows: 'page' },
  { filter, matches: 'the oldest 1,000', parameters: { [filter]: oldest }, rows: 'page' },
  { filter, matches: 'none', parameters: { [filter]: none }, rows: 'none' },
];

/** @returns {ListQuery[]} */
export function queries() {
  const half = {
    status: 'delivered',
    from: 'half@sender.example',
    'tags[campaign]': 'half',
    subject: 'order',
    to: 'half@customer.example',
  };
  return [
    { filter: 'no filter', matches: '1,000,000', parameters: {}, rows: 'page' },
    ...three('status', { half: 'delivered', oldest: 'complained', none: 'failed' }),
    { filter: 'status', matches: 'none', parameters: { status: 'sending' }, rows: 'none' },
    ...three('last_event', { half: 'opened', oldest: 'complained', none: 'clicked' }),
    ...three('to', { half: half.to, oldest: 'oldest@old.example', none: 'nobody@customer.example' }),
    { filter: 'to', matches: '1', parameters: { to: 'USER1207@customer.example' }, rows: 'some' },
    ...three('recipient_domain', { half: 'customer.example', oldest: 'old.example', none: 'none.example' }),
    ...three('from', { half: half.from, oldest: 'oldest@sender.example', none: 'none@sender.example' }),
    ...three('domain', { half: DOMAINS.half, oldest: DOMAINS.oldest, none: DOMAINS.none }),
    { filter: 'domain', matches: 'none', parameters: { domain: 'sandbox.postloft.test' }, rows: 'none' },
    ...three('subject', { half: half.subject, oldest: 'oldest', none: 'invoice' }),
    { filter: 'subject', matches: '1', parameters: { subject: 'order 1207 has' }, rows: 'some' },
    ...three('tags[campaign]', { half: 'half', oldest: 'oldest', none: 'winter' }),
    { filter: 'tags[order]', matches: '1', parameters: { 'tags[order]': '1207' }, rows: 'some' },
    { filter: 'scheduled', matches: '500,000', parameters: { scheduled: 'true' }, rows: 'page' },
    { filter: 'created_after', matches: '500,000', parameters: { created_after: daysAgo(30) }, rows: 'page' },
    { filter: 'created_after', matches: 'none', parameters: { created_after: daysAgo(-1) }, rows: 'none' },
    { filter: 'created_before', matches: '500,000', parameters: { created_before: daysAgo(30) }, rows: 'page' },
    { filter: 'created_before', matches: 'the oldest', parameters: { created_before: daysAgo(59.95) }, rows: 'page' },
    { filter: 'created_before', matches: 'none', parameters: { created_before: daysAgo(80) }, rows: 'none' },
    { filter: 'status + from', matches: '250,000', parameters: { status: half.status, from: half.from }, rows: 'page' },
    { filter: 'status + from', matches: 'none', parameters: { status: 'complained', from: half.from }, rows: 'none' },
    {
      filter: 'tags + subject',
      matches: 'none',
      parameters: { 'tags[order]': '1207', subject: 'oldest' },
      rows: 'none',
    },
    { filter: 'five filters', matches: '31,000', parameters: half, rows: 'page' },
    {
      filter: 'status + from + created_before',
      matches: '125,000',
      parameters: { status: half.status, from: half.from, created_before: daysAgo(30) },
      rows: 'page',
    },
    {
      filter: 'subject + created_after',
      matches: 'none',
      parameters: { subject: 'oldest', created_after: daysAgo(30) },
      rows: 'none',
    },
    { filter: 'limit=100, from', matches: '500,000', parameters: { from: half.from, limit: '100' }, rows: 'page' },
  ];
}
