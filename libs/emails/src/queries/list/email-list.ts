import { Injectable } from '@nestjs/common';
import {
  assertDomainsVisible,
  isId,
  toPage,
  wholeAccount,
  type Page,
  type PageRequest,
  type Visibility,
} from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { domainOf } from '#libs/mime';
import { Database, type Queryable } from '#libs/persistence';
import type { EmailSummary, SummaryRow } from '../../email.resource.js';
import { toEmailSummary, SUMMARY_COLUMNS } from '../email-summary.js';
import { filterConditions } from './conditions.js';
import type { EmailFilter, ResolvedFilter } from './email-filter.js';
import { idRange, type IdRange } from './id-range.js';
import { type ScanContext, type ScanBuilder, NO_LIMIT, StatementParameters } from './id-scan.js';
import { filterScans } from './filter-scans.js';
import { searchedParts } from './search-scan.js';
import { SearchSegments } from './search-segments.js';

/** Number of ids of each scan that are counted. Checking an email that does not match takes some microseconds. */
const PROBE_ROWS = 500;

/**
 * A scan is useful only if it is read in its own order and no further than needed. Sorting looks cheaper to the planner
 * if its statistics know little of a new account, so sorting is disabled unless there is no other plan.
 */
const READ_IN_ORDER = `SELECT ${['sort', 'bitmapscan', 'material']
  .map((name) => `set_config('enable_${name}', 'off', true)`)
  .join(', ')}, set_config('max_parallel_workers_per_gather', '0', true)`;

interface ListQuery {
  filter: ResolvedFilter;
  range: IdRange;
}
/** Rows of a page; `reached` is the id up to which a search has examined emails, null if it has examined all. */
interface Read {
  rows: SummaryRow[];
  reached: string | null;
}
const NOTHING: Read = { rows: [], reached: null };

interface Selective {
  scan: ScanBuilder;
  /** Ids up to `PROBE_ROWS`. */
  found: number;
}
interface Probe {
  found: number;
  /** The last id that the scan reached. */
  reach: string | null;
}

/**
 * Reads one page of the emails of an account by keyset pagination. Each part of a filter has an index that returns its
 * emails in the order of the page. The most selective of these scans leads; its emails are checked one by one until the
 * page is full. So a filter with few matches is read completely, and a filter with many matches ends early.
 */
@Injectable()
export class EmailList {
  constructor(
    private readonly database: Database,
    private readonly domains: SendingDomains,
    private readonly segments: SearchSegments,
  ) {}

  /**
   * Newest first; right before an entry if `request.before` is given.
   * A page of a search may be short although more follow.
   * @throws Refusal restricted_api_key for a domain that the key does not see
   */
  async page(visibility: Visibility, filter: EmailFilter, request: PageRequest): Promise<Page<EmailSummary>> {
    const { domain, ...rest } = filter;
    const domainId = domain === undefined ? undefined : await this.domainId(visibility, domain);
    const isEmpty = domainId === null || visibility.domainIds?.size === 0;
    const { rows, reached } = isEmpty ? NOTHING : await this.read({ ...rest, domainId, visibility }, request);
    const page = toPage(request, rows, { id: (row) => row.id, present: toEmailSummary });
    return page.has_more || reached === null ? page : { ...page, has_more: true, next_cursor: reached };
  }

  /** Up to one row more than the page has, in the order of reading. */
  private async read(filter: ResolvedFilter, request: PageRequest): Promise<Read> {
    const query: ListQuery = { filter, range: idRange(request, filter) };
    const scans = filterScans(filter);
    const { search, visibility } = filter;
    const found = await this.database.transaction(async (tx) => {
      await tx.query(READ_IN_ORDER);
      const page = (scan: ScanBuilder) => readPage(tx, scan, { ...query, limit: request.limit + 1 });
      if (search === undefined && scans.length === 1) return { rows: await page(scans[0]), reached: null };
      const { scan, found: ids } = await mostSelective(tx, scans, query);
      // A search that examines all emails of another part of the filter is exact, but only few are examined so.
      if (search === undefined || ids < PROBE_ROWS) return { rows: await page(scan), reached: null };
      const parts = await searchedParts(tx, { accountId: visibility.accountId, text: search, range: query.range });
      return { rows: await page(parts.scan), reached: parts.reached };
    });
    if (search !== undefined) this.segments.request(visibility.accountId);
    return found;
  }

  /** Null for a domain that no email of this account can have. The emails of a removed domain are found by its id. */
  private async domainId(visibility: Visibility, domain: string): Promise<string | null> {
    const id = isId('dom', domain) ? domain : await this.idOfName(visibility, domain);
    assertDomainsVisible(visibility, [{ field: 'domain', id }]);
    if (id !== domain) return id;
    const { rows } = await this.database.query<{ account_id: string }>(
      'SELECT account_id FROM emails WHERE domain_id = $1 ORDER BY domain_id, id LIMIT 1',
      [domain],
    );
    return rows[0]?.account_id === visibility.accountId ? domain : null;
  }

  private async idOfName({ accountId }: Visibility, written: string): Promise<string | null> {
    const name = domainOf(`@${written}`);
    return (await this.domains.list(wholeAccount(accountId))).find((one) => one.name === name)?.id ?? null;
  }
}

async function readPage(
  tx: Queryable,
  leadingScan: ScanBuilder,
  query: ListQuery & { limit: number },
): Promise<SummaryRow[]> {
  const context = newContext(query);
  const scan = leadingScan(context);
  const { where, having } = filterConditions(query.filter, context.parameters);
  const order = scan.order.map((column) => `ids.${column} ${query.range.order}`).join(', ');
  const { rows } = await tx.query<SummaryRow>(
    `SELECT page.* FROM (${scan.sql} LIMIT ${NO_LIMIT}) AS ids
       CROSS JOIN LATERAL (
         SELECT ${SUMMARY_COLUMNS} FROM emails e
          WHERE e.id = ids.id AND e.account_id = ${context.account}${where} LIMIT 1) AS page
      WHERE ${having} ORDER BY ${order} LIMIT ${context.parameters.add(query.limit)}`,
    context.parameters.values,
  );
  return rows;
}

/** The scan that ends first, or else the one whose first ids reach farthest. */
async function mostSelective(tx: Queryable, scans: ScanBuilder[], query: ListQuery): Promise<Selective> {
  const context = newContext(query);
  const { order } = query.range;
  const farthest = order === 'DESC' ? 'min' : 'max';
  const probes = scans.map(
    (scan, i) => `SELECT ${i} AS stream, count(*)::int AS found, ${farthest}(id) AS reach
                      FROM (SELECT id FROM (${scan(context).sql}) AS ids LIMIT ${PROBE_ROWS}) AS first`,
  );
  const { rows } = await tx.query<Probe>(`${probes.join(' UNION ALL ')} ORDER BY stream`, context.parameters.values);
  const sign = order === 'DESC' ? 1 : -1;
  const sparser = (a: Probe, b: Probe) => a.found - b.found || ((a.reach ?? '') < (b.reach ?? '') ? -sign : sign);
  const [best] = rows.toSorted(sparser);
  return { scan: scans[rows.indexOf(best)], found: best.found };
}

function newContext({ filter, range }: ListQuery): ScanContext {
  const { accountId } = filter.visibility;
  const parameters = new StatementParameters();
  let account: string | undefined;
  return {
    accountId,
    // Added on first use: some scans do not refer to the account, and an unused parameter has no type.
    get account() {
      return (account ??= parameters.add(accountId));
    },
    parameters,
    range,
  };
}
