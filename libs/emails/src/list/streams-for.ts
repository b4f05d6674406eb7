import { EMAIL_STATUSES, LAST_EVENTS } from '#libs/contracts';
import { statusesStoredAs } from '../effective-status.js';
import { searchKey } from '../search-key.js';
import type { ResolvedFilter } from './email-filter.js';
import type { IdStream, StreamPlace, StreamWriter } from './id-stream.js';
import { subjectStream } from './subject-stream.js';

/** One stream for each part of the filter that has an index; without any, that of the whole account. */
export function streamsFor(filter: ResolvedFilter): StreamWriter[] {
  const { to, domainId, from, scheduled, subject } = filter;
  const streams: StreamWriter[] = stateStreams(filter);
  if (to !== undefined) streams.push((at) => recipientStream(to, at));
  for (const [key, value] of Object.entries(filter.tags ?? {})) streams.push((at) => tagStream(key, value, at));
  if (domainId !== undefined) streams.push((at) => domainStream(domainId, at));
  if (from !== undefined) streams.push((at) => mailStream(at, { sender_address: from }));
  if (scheduled) streams.push((at) => mailStream(at, {}, ' AND scheduled_at IS NOT NULL'));
  if (subject !== undefined) streams.push((at) => subjectStream(subject, at));
  return streams.length > 0 ? streams : [(at) => mailStream(at, {})];
}

/** The ids of the page's range, in its order. */
const inRange = (id: string, { parameters, range }: StreamPlace): string =>
  ` AND ${id} < ${parameters.add(range.below)} AND ${id} > ${parameters.add(range.above)} ORDER BY ${id} ${range.order}`;

function mailStream(at: StreamPlace, equal: Record<string, string>, condition = ''): IdStream {
  const equalities = Object.entries(equal).map(([column, value]) => ` AND ${column} = ${at.parameters.add(value)}`);
  const where = `account_id = ${at.account}${equalities.join('')}${condition}`;
  return { sql: `SELECT id FROM emails WHERE ${where}${inRange('id', at)}`, order: ['id'] };
}

function domainStream(domainId: string, at: StreamPlace): IdStream {
  const where = `domain_id = ${at.parameters.add(domainId)}${inRange('id', at)}`;
  return { sql: `SELECT id FROM emails WHERE ${where}`, order: ['id'] };
}

function recipientStream(to: string, at: StreamPlace): IdStream {
  const key = at.parameters.add(searchKey(at.accountId, to));
  const where = `search_key = ${key}::bigint${inRange('email_id', at)}`;
  return { sql: `SELECT email_id AS id FROM recipients WHERE ${where}`, order: ['id'] };
}

function tagStream(key: string, value: string, at: StreamPlace): IdStream {
  const { account, parameters } = at;
  const where = `account_id = ${account} AND key = ${parameters.add(key)} AND value = ${parameters.add(value)}`;
  return { sql: `SELECT email_id AS id FROM email_tags WHERE ${where}${inRange('email_id', at)}`, order: ['id'] };
}

function stateStreams({ status, lastEvent }: ResolvedFilter): StreamWriter[] {
  if (status === undefined && lastEvent === undefined) return [];
  if (status === 'sending') return [sendingStream];
  // One index has both columns: the one that is not given takes each of its values, merged by id.
  const statuses = status === undefined ? EMAIL_STATUSES : statusesStoredAs(status);
  const events = lastEvent === undefined ? LAST_EVENTS : [lastEvent];
  return [
    (at) => {
      const branches = statuses.flatMap((stored) =>
        events.map((event) => `(${mailStream(at, { status: stored, last_event: event }).sql})`),
      );
      const sql = `SELECT id FROM (${branches.join(' UNION ALL ')}) AS branches ORDER BY id ${at.range.order}`;
      return { sql, order: ['id'] };
    },
  ];
}

/** What is on its way is bounded by what the workers hold at once, of all accounts together. */
const sendingStream: StreamWriter = (at) => ({
  sql: `SELECT id FROM (SELECT DISTINCT email_id AS id FROM recipients WHERE claimed_by IS NOT NULL) AS claimed
         WHERE true${inRange('id', at)}`,
  order: ['id'],
});
