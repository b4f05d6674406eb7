import { Injectable } from '@nestjs/common';
import { isId, toPage, type Page, type PageRequest } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { domainOf } from '#libs/mime';
import { Database, type Queryable } from '#libs/persistence';
import { EFFECTIVE_STATUS } from '../effective-status.js';
import { presentSummary, SUMMARY_COLUMNS, type EmailSummary, type SummaryRow } from '../email-summary.js';
import { conditionsOf } from './conditions.js';
import type { EmailFilter, ResolvedFilter } from './email-filter.js';
import { idRange, type IdRange } from './id-range.js';
import type { StreamPlace, StreamWriter } from './id-stream.js';
import { ENDLESS, Parameters } from './parameters.js';
import { streamsFor } from './streams-for.js';

/** So many ids of each stream are counted; a mail that is looked at and does not match costs some microseconds. */
const PROBED = 500;

/**
 * A stream is worth something only if it is read in its order and no further. Sorting looks cheaper to a planner whose
 * statistics know little of an account that has just begun to send; so it may do that only where there is no other way.
 */
const READ_IN_ORDER = `SELECT ${['sort', 'bitmapscan', 'material']
  .map((name) => `set_config('enable_${name}', 'off', true)`)
  .join(', ')}, set_config('max_parallel_workers_per_gather', '0', true)`;

interface Question {
  accountId: string;
  filter: ResolvedFilter;
  range: IdRange;
}
interface Probe {
  found: number;
  /** The last id that was reached. */
  reach: string | null;
}

/**
 * One page of the mails of an account, by key. Each part of a filter has an index that gives its mails in the order of
 * the page. The sparsest of these streams leads; the mails that it names are looked at one by one until the page is
 * full. So a filter that matches little is read to its end, and one that matches much is soon done.
 */
@Injectable()
export class EmailList {
  constructor(
    private readonly database: Database,
    private readonly domains: SendingDomains,
  ) {}

  /** Newest first; right before an entry when `request.before` is given. */
  async page(accountId: string, filter: EmailFilter, request: PageRequest): Promise<Page<EmailSummary>> {
    const { domain, ...rest } = filter;
    const domainId = domain === undefined ? undefined : await this.domainId(accountId, domain);
    const rows = domainId === null ? [] : await this.rows(accountId, { ...rest, domainId }, request);
    return toPage(request, rows, { id: (row) => row.id, present: presentSummary });
  }

  /** Up to one row more than the page has, in the order of reading. */
  private async rows(accountId: string, filter: ResolvedFilter, request: PageRequest): Promise<SummaryRow[]> {
    const question: Question = { accountId, filter, range: idRange(request, filter) };
    const streams = streamsFor(filter);
    return this.database.transaction(async (tx) => {
      await tx.query(READ_IN_ORDER);
      const leader = streams.length === 1 ? streams[0] : await sparsest(tx, streams, question);
      return walk(tx, leader, { ...question, limit: request.limit + 1 });
    });
  }

  /** Null for a domain that no mail of this account can have. The mails of a removed domain are found by its id. */
  private async domainId(accountId: string, domain: string): Promise<string | null> {
    if (!isId('dom', domain)) {
      const name = domainOf(`@${domain}`);
      return (await this.domains.list(accountId)).find((one) => one.name === name)?.id ?? null;
    }
    const { rows } = await this.database.query<{ account_id: string }>(
      'SELECT account_id FROM emails WHERE domain_id = $1 ORDER BY domain_id, id LIMIT 1',
      [domain],
    );
    return rows[0]?.account_id === accountId ? domain : null;
  }
}

async function walk(
  tx: Queryable,
  leader: StreamWriter,
  question: Question & { limit: number },
): Promise<SummaryRow[]> {
  const at = placeOf(question);
  const stream = leader(at);
  const { where, having } = conditionsOf(question.filter, question.accountId, at.parameters);
  const order = stream.order.map((column) => `ids.${column} ${question.range.order}`).join(', ');
  const { rows } = await tx.query<SummaryRow>(
    `SELECT mail.* FROM (${stream.sql} LIMIT ${ENDLESS}) AS ids
       CROSS JOIN LATERAL (
         SELECT ${SUMMARY_COLUMNS}, ${EFFECTIVE_STATUS} AS status FROM emails e
          WHERE e.id = ids.id AND e.account_id = ${at.account}${where} LIMIT 1) AS mail
      WHERE ${having} ORDER BY ${order} LIMIT ${at.parameters.add(question.limit)}`,
    at.parameters.values,
  );
  return rows;
}

/** The stream that ends first, or else the one whose first ids reach farthest. */
async function sparsest(tx: Queryable, streams: StreamWriter[], question: Question): Promise<StreamWriter> {
  const at = placeOf(question);
  const { order } = question.range;
  const farthest = order === 'DESC' ? 'min' : 'max';
  const probes = streams.map(
    (stream, i) => `SELECT ${i} AS stream, count(*)::int AS found, ${farthest}(id) AS reach
                      FROM (SELECT id FROM (${stream(at).sql}) AS ids LIMIT ${PROBED}) AS first`,
  );
  const { rows } = await tx.query<Probe>(`${probes.join(' UNION ALL ')} ORDER BY stream`, at.parameters.values);
  const sign = order === 'DESC' ? 1 : -1;
  const sparser = (a: Probe, b: Probe) => a.found - b.found || ((a.reach ?? '') < (b.reach ?? '') ? -sign : sign);
  return streams[rows.indexOf(rows.toSorted(sparser)[0])];
}

function placeOf({ accountId, range }: Question): StreamPlace {
  const parameters = new Parameters();
  let account: string | undefined;
  return {
    accountId,
    // Only when it is asked for: some streams name no account, and a parameter that nothing uses has no type.
    get account() {
      return (account ??= parameters.add(accountId));
    },
    parameters,
    range,
  };
}
