import { searchKey } from '../search-key.js';
import type { ResolvedFilter } from './email-filter.js';
import type { IdStream, StreamPlace, StreamWriter } from './id-stream.js';
import { stateStreams } from './state-stream.js';
import { subjectStream } from './subject-stream.js';

/** One stream for each part of the filter that has an index; without any, that of the whole account. */
export function streamsFor(filter: ResolvedFilter): StreamWriter[] {
  const { to, domainId, from, scheduled, subject } = filter;
  const streams: StreamWriter[] = stateStreams(filter);
  if (to !== undefined) streams.push((at) => recipientStream(to, at));
  for (const [key, value] of Object.entries(filter.tags ?? {})) streams.push((at) => tagStream(key, value, at));
  if (domainId !== undefined) streams.push((at) => mailStream(at, [['domain_id', at.parameters.add(domainId)]]));
  if (from !== undefined)
    streams.push((at) =>
      mailStream(at, [
        ['sender_address', at.parameters.add(from)],
        ['account_id', at.account],
      ]),
    );
  if (scheduled) streams.push((at) => mailStream(at, [['account_id', at.account]], ' AND scheduled_at IS NOT NULL'));
  if (subject !== undefined) streams.push((at) => subjectStream(subject, at));
  return streams.length > 0 ? streams : [(at) => mailStream(at, [['account_id', at.account]])];
}

/** Columns that lead an index, and what stands for their values. */
type Leading = [column: string, parameter: string][];

/**
 * The ids behind one value of the columns that lead an index, in its own order. The columns are compared as one row and
 * all of them are sorted by, though their values are always the same: only this one index can answer that.
 */
function indexStream(
  at: StreamPlace,
  of: { table: string; id: string; leading: Leading; condition?: string },
): IdStream {
  const { parameters, range } = at;
  const columns = of.leading.map(([column]) => column);
  const row = `(${[...columns, of.id].join(', ')})`;
  const end = (id: string) => `(${[...of.leading.map(([, parameter]) => parameter), parameters.add(id)].join(', ')})`;
  const order = [...columns, of.id].map((column) => `${column} ${range.order}`).join(', ');
  return {
    sql: `SELECT ${[...columns, `${of.id} AS id`].join(', ')} FROM ${of.table}
           WHERE ${row} < ${end(range.below)} AND ${row} > ${end(range.above)}${of.condition ?? ''} ORDER BY ${order}`,
    order: [...columns, 'id'],
  };
}

const mailStream = (at: StreamPlace, leading: Leading, condition?: string): IdStream =>
  indexStream(at, { table: 'emails', id: 'id', leading, condition });

function recipientStream(to: string, at: StreamPlace): IdStream {
  const key = `${at.parameters.add(searchKey(at.accountId, to))}::bigint`;
  return indexStream(at, { table: 'recipients', id: 'email_id', leading: [['search_key', key]] });
}

function tagStream(key: string, value: string, at: StreamPlace): IdStream {
  const leading: Leading = [
    ['account_id', at.account],
    ['key', at.parameters.add(key)],
    ['value', at.parameters.add(value)],
  ];
  return indexStream(at, { table: 'email_tags', id: 'email_id', leading });
}
