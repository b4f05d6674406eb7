import { newId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { SuppressionList, type SuppressionView } from '#libs/suppressions';
import { startGatewayApp, type GatewayApp } from './gateway-app.js';

export interface SuppressionAnswer {
  status: number;
  body: Record<string, unknown> & { id: string; data: Record<string, unknown>[]; details: Record<string, string>[] };
}
type Tenant = Awaited<ReturnType<GatewayApp['account']>>;

/** Two accounts at one gateway; everything is asked and done by `mine` unless it says otherwise. */
export class SuppressionDesk {
  mine: Tenant;
  theirs: Tenant;

  private constructor(readonly gateway: GatewayApp) {}

  static async open(): Promise<SuppressionDesk> {
    return new SuppressionDesk(await startGatewayApp());
  }

  async newAccounts(): Promise<void> {
    this.mine = await this.gateway.account();
    this.theirs = await this.gateway.account();
  }

  ask(method: string, path: string, body?: unknown): Promise<SuppressionAnswer> {
    return this.answerTo(this.mine, { method, path, body });
  }

  askForThem(method: string, path: string, body?: unknown): Promise<SuppressionAnswer> {
    return this.answerTo(this.theirs, { method, path, body });
  }

  async add(email: string, more: object = {}): Promise<SuppressionView> {
    return (await this.ask('POST', '/suppressions', { email, ...more })).body as unknown as SuppressionView;
  }

  /** What other parts put on the list. */
  async addAs(origin: 'bounce' | 'complaint', address: string): Promise<void> {
    const entry = { accountId: this.mine.accountId, address, origin, reason: null, sourceId: newId('em') };
    await this.gateway.app.get(SuppressionList).add(this.gateway.app.get(Database), entry);
  }

  async listed(query: string): Promise<unknown[]> {
    return (await this.ask('GET', `/suppressions?${query}`)).body.data.map(({ email }) => email);
  }

  async audited(): Promise<Record<string, unknown>[]> {
    const text = 'SELECT actor, action, target, facts FROM audit_log WHERE account_id = $1 ORDER BY id';
    return (await this.gateway.app.get(Database).query(text, [this.mine.accountId])).rows;
  }

  private async answerTo({ key }: Tenant, { method, path, body }: Asked): Promise<SuppressionAnswer> {
    const answer = await this.gateway.call(key, method, path, body);
    return { status: answer.status, body: (await answer.json()) as SuppressionAnswer['body'] };
  }
}

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** The path of an address. */
export const entryAt = (email: string) => `/suppressions/${encodeURIComponent(email)}`;
export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
