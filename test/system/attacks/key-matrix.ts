import { API_OPERATIONS, type ApiOperation } from '../../support/rest/api-operations.js';
import { FACADE_OPERATIONS } from '../../support/rest/controller-routes.js';
import { FACADE_ROWS, IDOR_ROWS, type IdorRow } from '../../support/rest/idor-rows.js';
import type { Kind } from '../../support/rest/tenant.js';

/**
 * `allowed`: no refusal by access, whatever else the answer is. `hidden`: not found, or an answer without the thing.
 * `missing`: 404. `refused`: `restricted_api_key`.
 */
export type Outcome = 'allowed' | 'hidden' | 'missing' | 'refused';

/** Who asks for whose thing. */
export const COLUMNS = [
  'other account',
  'narrowed scope',
  'limited key, other domain',
  'limited key, own domain',
  'test key, live thing',
  'test key, test thing',
  'live key, live thing',
  'live key, test thing',
] as const;
export type Column = (typeof COLUMNS)[number];

/** One request: the operation with things of the column at these places, and own things at all others. */
export interface Cell {
  column: Column;
  operation: ApiOperation;
  row: IdorRow;
  spots: string[];
}

/** Things with a mode; the others are shared by test and live mail. */
const HAS_MODE: Record<Kind, boolean> = {
  email: true,
  scheduled: true,
  bounced: true,
  attachment: true,
  attempt: true,
  captured: true,
  event: true,
  log: true,
  webhookEvent: true,
  webhookDelivery: true,
  webhookAttempt: true,
  webhookReplay: false,
  domain: false,
  webhook: false,
  suppression: false,
  suppressionId: false,
  suppressedToo: false,
  suppressedTooId: false,
  apiKey: false,
  erasure: false,
  audit: false,
  account: false,
};
export const KINDS_WITH_MODE = (Object.keys(HAS_MODE) as Kind[]).filter((kind) => HAS_MODE[kind]);

/** The entries of the households are of domains, so only their ids name them alone. */
const byId = (kind: Kind): Kind => (kind === 'suppression' ? 'suppressionId' : kind);
const withIds = (row: IdorRow): IdorRow => ({
  ...row,
  spots: Object.fromEntries(
    Object.entries(row.spots).map(([spot, kind]) => [spot, spot.startsWith('path:') ? byId(kind) : kind]),
  ),
});

/** Every operation that needs a key, with its row. @throws for an operation without a row */
export const OPERATIONS: [ApiOperation, IdorRow][] = [...API_OPERATIONS, ...FACADE_OPERATIONS]
  .filter(({ scope }) => scope !== null)
  .map((operation) => {
    const row = IDOR_ROWS[operation.name] ?? FACADE_ROWS[operation.name];
    if (row === undefined) throw new Error(`${operation.name} has no row in test/support/rest/idor-rows.ts`);
    return [{ ...operation, spots: Object.keys(row.spots) }, withIds(row)];
  });

/** Columns in which the asker deletes its own things; the others need them. */
const DELETES_OWN = new Set<Column>(
  COLUMNS.filter((column) => column === 'narrowed scope' || /own|test thing|^live/.test(column)),
);

/** All path parameters together, each other place alone, and for operations without places the plain request. */
export function cellsOf(column: Column): Cell[] {
  return OPERATIONS.flatMap(([operation, row]) => {
    if (operation.name === 'DELETE /captured' && !DELETES_OWN.has(column)) return [];
    const path = operation.spots.filter((spot) => spot.startsWith('path:'));
    const others = operation.spots.filter((spot) => !spot.startsWith('path:'));
    const requests = [...(path.length > 0 ? [path] : [[]]), ...others.map((spot) => [spot])];
    return requests.map((spots) => ({ column, operation, row, spots }));
  });
}

/** Sends mail from the sender's domain, which no place of the operation names. */
const SENDS = /^POST (\/resend)?\/emails(\/batch)?$/;
const WHOLE_ACCOUNT = new Set([
  'GET /audit-log',
  'GET /account',
  'POST /erasures',
  'GET /erasures/{id}',
  'PATCH /account',
  'POST /domains',
  'POST /resend/domains',
  'POST /suppressions/import',
  'GET /suppressions/export',
]);
/** Without a place that names one of its domains, a limited key would act on all domains of the account. */
const NAMES_ALL_DOMAINS = new Set([
  'POST /api-keys',
  'POST /resend/api-keys',
  'POST /webhooks',
  'POST /resend/webhooks',
  'POST /suppressions',
  'POST /resend/suppressions',
  'POST /suppressions/batch/add',
  'POST /resend/suppressions/batch/add',
  'POST /suppressions/batch/remove',
  'POST /resend/suppressions/batch/remove',
]);
const LIVE_ONLY = new Set(['domains.write', 'webhooks.write', 'suppressions.write', 'api_keys.write', 'account.write']);

/** The outcome of each cell by the rules of docs/api-keys.md. */
export const expectedOutcome = (cell: Cell): Outcome =>
  // Other keys than those of the first account cannot have it.
  cell.operation.scope === 'operator.accounts' ? 'refused' : outcomeOf(cell);

function outcomeOf(cell: Cell): Outcome {
  const { column, operation, row, spots } = cell;
  switch (column) {
    case 'other account':
      return namesByPath(cell) ? 'missing' : 'hidden';
    case 'narrowed scope':
      return 'refused';
    case 'limited key, other domain':
      return outcomeForOtherDomain(cell);
    case 'limited key, own domain':
      return concernsWholeAccount(operation, row, spots) ? 'refused' : 'allowed';
    case 'test key, live thing':
      return outcomeForLiveThing(cell);
    case 'test key, test thing':
      return LIVE_ONLY.has(String(operation.scope)) ? 'refused' : 'allowed';
    case 'live key, live thing':
    case 'live key, test thing':
      return 'allowed';
  }
}

const namesByPath = ({ spots }: Cell): boolean => spots.some((spot) => spot.startsWith('path:'));

function outcomeForLiveThing(cell: Cell): Outcome {
  if (LIVE_ONLY.has(String(cell.operation.scope))) return 'refused';
  if (!namesByPath(cell)) return 'hidden';
  return cell.spots.some((spot) => HAS_MODE[cell.row.spots[spot]]) ? 'missing' : 'allowed';
}

function outcomeForOtherDomain(cell: Cell): Outcome {
  const { operation, row, spots } = cell;
  if (concernsWholeAccount(operation, row, spots) || SENDS.test(operation.name)) return 'refused';
  if (namesByPath(cell)) {
    // Every key of the account can be read; one that may do more cannot be changed.
    if (row.spots['path:id'] === 'apiKey') return operation.method === 'GET' ? 'allowed' : 'refused';
    return 'missing';
  }
  const isDomain = (spot: string) => row.spots[spot] === 'domain' && !/^query:(after|before)$/.test(spot);
  if (spots.some(isDomain)) return 'refused';
  return 'hidden';
}

const concernsWholeAccount = ({ name }: ApiOperation, { body }: IdorRow, spots: string[]): boolean =>
  WHOLE_ACCOUNT.has(name) ||
  (NAMES_ALL_DOMAINS.has(name) &&
    (body !== undefined || spots.length > 0) &&
    !spots.some((spot) => /domain_ids?$|^body:ids$/.test(spot)));

/** Deletion of nested things before that of what holds them; the domain, whose key ends with it, last. */
export function inOrder(cells: Cell[]): Cell[] {
  const methods = ['GET', 'PATCH', 'POST', 'DELETE'];
  const rank = ({ operation: { method, path } }: Cell) =>
    methods.indexOf(method) -
    (method === 'DELETE' ? path.split('/').length / 100 : 0) +
    (path.endsWith('/domains/{id}') ? 0.5 : 0);
  return [...cells].sort((a, b) => rank(a) - rank(b));
}
