import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareUuid } from '#libs/contracts';
import { API_OPERATIONS, TENANT_OPERATIONS, type ApiOperation } from '../../support/rest/api-operations.js';
import { FACADE_OPERATIONS } from '../../support/rest/controller-routes.js';
import { FACADE_ROWS, IDOR_ROWS, type IdorRow } from '../../support/rest/idor-rows.js';
import { comparable, requestOf, withoutAll, type Answer, type Request } from '../../support/rest/operation-request.js';
import { sharedService } from '../../support/services/service-client.js';
import type { ServiceData } from '../../support/services/service-host.js';
import { moveIn, nobodys, type Kind, type Tenant } from '../../support/rest/tenant.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

/** Path prefixes that lead to the same route. */
const ALIASES = ['', '/v1', '//'];
/** A path prefix, its operations, and how they write ids. */
type Way = [alias: string, operations: ApiOperation[], written: (id: string) => string];
const asItIs = (id: string) => id;
const WAYS: Way[] = [
  ...ALIASES.map((alias): Way => [alias, TENANT_OPERATIONS, asItIs]),
  ['/v1', FACADE_OPERATIONS.map(withSpots), asItIs],
  ['//', FACADE_OPERATIONS.map(withSpots), bareUuid],
];
/** Fields that change with every request or with time. */
const VOLATILE = new Set(['last_used_at', 'last_checked_at', 'request_id', 'download_url', 'delivery']);
/** Download links and their expiry differ in every response. */
const VOLATILE_OF_LINKS = new Set([...VOLATILE, 'expires_at']);
const NOT_STILL = new Set(['GET /logs', 'GET /stats', 'GET /domains/{id}/stats', 'GET /erasures/{id}', 'GET /readyz']);

let service: ServiceData;
let receiver: WebhookReceiver;
/** `alpha` sends the requests for resources of `bravo`. */
let alpha: Tenant;
let bravo: Tenant;
let before: Record<string, unknown>;
/** Ids and addresses of `bravo` that were sent so far. */
const asked = new Set<string>();

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await sharedService('rest');
  [alpha, bravo] = await Promise.all(
    ['alpha', 'bravo'].map((name) => moveIn(service, name, receiver.url(`/private-${name}`))),
  );
  before = await everythingOf(bravo);
});
afterAll(async () => {
  await receiver?.close();
});

/** These routes have no OpenAPI description; the row lists the places of ids. */
function withSpots(operation: ApiOperation): ApiOperation {
  return { ...operation, spots: Object.keys(FACADE_ROWS[operation.name]?.spots ?? {}) };
}

const rowOf = ({ name }: ApiOperation): IdorRow => IDOR_ROWS[name] ?? FACADE_ROWS[name] ?? { spots: {} };
/** Ids by place; path parameters that are not given are the tenant's own. */
function placed(operation: ApiOperation, own: Tenant, named: Record<string, string>): Record<string, string> {
  const path = operation.spots.filter((spot) => spot.startsWith('path:'));
  return { ...Object.fromEntries(path.map((spot) => [spot, own.things[kindOf(operation, spot)]])), ...named };
}

const kindOf = (operation: ApiOperation, spot: string): Kind => rowOf(operation).spots[spot];

async function send(tenant: Tenant, { method, path, body }: Request, alias = ''): Promise<Answer> {
  const answer = await tenant.call(method, alias.replace(/\/$/, '') + (alias.endsWith('//') ? '/' : '') + path, body);
  return { status: answer.status, text: await answer.text() };
}

/** Everything that a tenant can read, without volatile fields. */
async function everythingOf(tenant: Tenant): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const operation of TENANT_OPERATIONS) {
    if (operation.method !== 'GET' || operation.scope === null || NOT_STILL.has(operation.name)) continue;
    const { status, text } = await send(tenant, requestOf(operation, placed(operation, tenant, {})));
    expect([operation.name, status]).toEqual([operation.name, 200]);
    seen[operation.name] = text.startsWith('{') || text.startsWith('[') ? stillPartOf(JSON.parse(text)) : text;
  }
  return seen;
}

function stillPartOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stillPartOf);
  if (typeof value !== 'object' || value === null) return value;
  const volatile = 'download_url' in value ? VOLATILE_OF_LINKS : VOLATILE;
  const entries = Object.entries(value).filter(([name]) => !volatile.has(name));
  return Object.fromEntries(entries.map(([name, part]) => [name, stillPartOf(part)]));
}

/** Every place alone, and all path parameters together. */
function attempts({ spots }: ApiOperation): string[][] {
  const path = spots.filter((spot) => spot.startsWith('path:'));
  return [...spots.map((spot) => [spot]), ...(path.length > 1 ? [path] : [])];
}

describe("another account's things", () => {
  it('are named by a row for every operation and every place of openapi.json', () => {
    const described = Object.fromEntries(API_OPERATIONS.map(({ name, spots }) => [name, [...spots].sort()]));
    const rows = Object.entries(IDOR_ROWS).map(([name, { spots }]) => [name, Object.keys(spots).sort()]);
    expect(Object.fromEntries(rows)).toEqual(described);
  });

  it('are named by a row for every route for clients of Resend', () => {
    const paths = ({ spots }: Pick<ApiOperation, 'spots'>) => spots.filter((spot) => spot.startsWith('path:')).sort();
    const routes = Object.fromEntries(FACADE_OPERATIONS.map((operation) => [operation.name, paths(operation)]));
    const rows = Object.entries(FACADE_ROWS).map(([name, row]) => [name, paths({ spots: Object.keys(row.spots) })]);
    expect(Object.fromEntries(rows)).toEqual(routes);
  });

  describe.each(WAYS)('over %s', (alias, operations, written) => {
    it.each(operations.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
      const row = rowOf(operation);
      for (const spots of attempts(operation)) {
        const theirs = spots.map((spot) => written(bravo.things[kindOf(operation, spot)]));
        const none = theirs.map(nobodys);
        const body = row.body?.(alpha, spots);
        const named = (values: string[]) => Object.fromEntries(spots.map((spot, i) => [spot, values[i]]));
        const answer = await send(alpha, requestOf(operation, placed(operation, alpha, named(theirs)), body), alias);
        const control = await send(alpha, requestOf(operation, placed(operation, alpha, named(none)), body), alias);
        const sent = [...theirs, ...none];
        if (row.grows) expect(answer.status).toBe(control.status);
        else expect({ spots, ...comparable(answer, sent) }).toEqual({ spots, ...comparable(control, sent) });
        if (spots.some((spot) => spot.startsWith('path:'))) expect([spots, answer.status]).toEqual([spots, 404]);
        expect(answer.status).toBeLessThan(500);
        for (const value of theirs) asked.add(value);
        // The request log repeats the ids that alpha sent, and its suppression list the addresses that it added.
        const mine = [...asked].filter((value) => row.grows || value.includes('@'));
        const shown = withoutAll(answer.text, [...theirs, ...theirs.map(bareUuid), ...mine]);
        expect(bravo.marks.filter((mark) => shown.includes(mark))).toEqual([]);
      }
      if (operation.spots.length === 0 && operation.scope !== null) {
        const answer = await send(alpha, requestOf(operation, {}, row.body?.(alpha, [])), alias);
        expect(answer.status).toBeLessThan(300);
        expect(bravo.marks.filter((mark) => answer.text.includes(mark))).toEqual([]);
      }
      // Expensive; for the other prefixes the last test checks this once.
      if (operation.method !== 'GET' && alias === ALIASES[0]) expect(await everythingOf(bravo)).toEqual(before);
    });
  });

  it('cannot be referenced by an imported file', async () => {
    const of = async (id: string) => {
      const file = `email,domain_id\r\nsomebody@example.net,${id}\r\n`;
      return comparable(await send(alpha, { method: 'POST', path: '/suppressions/import', body: file }), [id]);
    };
    const answer = await of(bravo.things.domain);
    expect(answer.status).toBe(400);
    expect(answer).toEqual(await of(nobodys(bravo.things.domain)));
  });

  it('cannot be opened with a download token of another account', async () => {
    const { email, attachment } = bravo.things;
    const link = async ({ things, call }: Tenant) => {
      const answer = await call('GET', `/emails/${things.email}/attachments/${things.attachment}`);
      return new URL(((await answer.json()) as { download_url: string }).download_url).search;
    };
    const open = async (search: string) => {
      const answer = await fetch(`${service.url}/emails/${email}/attachments/${attachment}/download${search}`);
      return { status: answer.status, text: await answer.text() };
    };
    expect(await open(await link(bravo))).toEqual({ status: 200, text: 'hello' });
    expect(await open(await link(alpha))).toMatchObject({ status: 404 });
  });

  it('are unchanged', async () => {
    expect(await everythingOf(bravo)).toEqual(before);
  });
});

/** Each row succeeds for the owner, so ownership was the only reason for the errors above. */
describe("one's own things", () => {
  const order = ['GET', 'PATCH', 'POST', 'DELETE'];
  /** Nested resources are deleted before their parent. */
  const rank = ({ method, path }: ApiOperation) =>
    order.indexOf(method) - (method === 'DELETE' ? path.split('/').length / 100 : 0);
  const inOrder = [...TENANT_OPERATIONS].sort((a, b) => rank(a) - rank(b));

  it.each(inOrder.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    const row = rowOf(operation);
    const rest = operation.spots.filter((spot) => !spot.startsWith('path:'));
    for (const spots of [[], ...rest.map((spot) => [spot])]) {
      const named = Object.fromEntries(spots.map((spot) => [spot, bravo.things[kindOf(operation, spot)]]));
      const answer = await send(bravo, requestOf(operation, placed(operation, bravo, named), row.body?.(bravo, spots)));
      const expected = row.own?.[spots.join()];
      const passes = expected === undefined ? answer.status < 300 : answer.status === expected;
      expect({ spots, passes, ...answer }).toMatchObject({ passes: true });
    }
  });
});
