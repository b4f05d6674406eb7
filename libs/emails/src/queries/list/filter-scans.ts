import { domainKey, searchKey } from '../../intake/recipients.js';
import type { ResolvedFilter } from './email-filter.js';
import type { IdScan, ScanContext, ScanBuilder } from './id-scan.js';
import { stateScans, waitingScan } from './state-scan.js';
import { subjectScan } from './subject-scan.js';

/** Returns one scan for each part of the filter that has an index, among them what the key sees; without any, the scan of the whole account. */
export function filterScans(filter: ResolvedFilter): ScanBuilder[] {
  const { domainId, from, scheduled, subject, visibility } = filter;
  const scans: ScanBuilder[] = [...stateScans(filter), ...recipientScans(filter)];
  for (const [key, value] of Object.entries(filter.tags ?? {})) scans.push((context) => tagScan(key, value, context));
  if (domainId !== undefined)
    scans.push((context) => emailScan(context, [['domain_id', context.parameters.add(domainId)]]));
  if (from !== undefined)
    scans.push((context) =>
      emailScan(context, [
        ['sender_address', context.parameters.add(from)],
        ['account_id', context.account],
      ]),
    );
  if (scheduled)
    scans.push((context) => emailScan(context, [['account_id', context.account]], ' AND scheduled_at IS NOT NULL'));
  if (visibility.mode === 'test')
    scans.push((context) => emailScan(context, [['account_id', context.account]], ` AND mode = 'test'`));
  // A filter by one of the domains is more selective than all of them.
  const { domainIds } = visibility;
  if (domainIds !== null && domainId === undefined) scans.push((context) => domainsScan([...domainIds], context));
  if (subject !== undefined) scans.push((context) => subjectScan(subject, context));
  return scans.length > 0 ? scans : [(context) => emailScan(context, [['account_id', context.account]])];
}

function recipientScans({ to, recipientDomain, waiting, status }: ResolvedFilter): ScanBuilder[] {
  const scans: ScanBuilder[] = [];
  if (to !== undefined) scans.push((context) => recipientScan(to, context));
  if (recipientDomain !== undefined) scans.push((context) => recipientDomainScan(recipientDomain, context));
  // A status is more selective.
  if (waiting && status === undefined) scans.push(waitingScan);
  return scans;
}

/** Leading columns of an index, and the parameters with their values. */
type LeadingColumns = [column: string, parameter: string][];

/**
 * The ids for one value of the leading columns of an index, in index order. The columns are compared as one row and all
 * of them are sorted by, although their values are constant, because only this index can serve that.
 */
function indexScan(
  context: ScanContext,
  of: { table: string; id: string; leading: LeadingColumns; condition?: string },
): IdScan {
  const { parameters, range } = context;
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

const emailScan = (context: ScanContext, leading: LeadingColumns, condition?: string): IdScan =>
  indexScan(context, { table: 'emails', id: 'id', leading, condition });

/** Merges the scans of several domains by id. */
function domainsScan(domainIds: readonly string[], { parameters, range }: ScanContext): IdScan {
  const end = `id < ${parameters.add(range.below)} AND id > ${parameters.add(range.above)} ORDER BY id ${range.order}`;
  const ofDomain = (id: string) => `(SELECT id FROM emails WHERE domain_id = ${parameters.add(id)} AND ${end})`;
  const merged = domainIds.map(ofDomain).join(' UNION ALL ');
  return { sql: `SELECT id FROM (${merged}) AS domains ORDER BY id ${range.order}`, order: ['id'] };
}

function recipientScan(to: string, context: ScanContext): IdScan {
  const key = `${context.parameters.add(searchKey(context.accountId, to))}::bigint`;
  return indexScan(context, { table: 'recipients', id: 'email_id', leading: [['search_key', key]] });
}

function recipientDomainScan(domain: string, context: ScanContext): IdScan {
  const key = `${context.parameters.add(domainKey(context.accountId, domain))}::int`;
  const condition = ' AND domain_key IS NOT NULL';
  return indexScan(context, { table: 'recipients', id: 'email_id', leading: [['domain_key', key]], condition });
}

function tagScan(key: string, value: string, context: ScanContext): IdScan {
  const leading: LeadingColumns = [
    ['account_id', context.account],
    ['key', context.parameters.add(key)],
    ['value', context.parameters.add(value)],
  ];
  return indexScan(context, { table: 'email_tags', id: 'email_id', leading });
}
