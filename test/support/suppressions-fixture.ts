import type TestAgent from 'supertest/lib/agent.js';
import type { Test } from 'supertest';
import { newId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { SuppressionList, type SuppressionView } from '#libs/suppressions';
import { sharedGateway, type GatewayApp } from './gateway-app.js';

export interface SuppressionAnswer {
  status: number;
  body: Record<string, unknown> & { id: string; data: Record<string, unknown>[]; details: Record<string, string>[] };
}
type Tenant = Awaited<ReturnType<GatewayApp['account']>>;

/** Two accounts at one gateway; everything is asked and done by `mine` unless it says otherwise. */
export class SuppressionsFixture {
  mine: Tenant;
  theirs: Tenant;

  private constructor(readonly gateway: GatewayApp) {}

  static async open(): Promise<SuppressionsFixture> {
    return new SuppressionsFixture(await sharedGateway());
  }

  async newAccounts(): Promise<void> {
    this.mine = await this.gateway.account();
    this.theirs = await this.gateway.account();
  }

  get agent(): TestAgent {
    return this.gateway.agent(this.mine.key);
  }

  get otherAgent(): TestAgent {
    return this.gateway.agent(this.theirs.key);
  }

  async add(email: string, more: object = {}): Promise<SuppressionView> {
    return (await this.agent.post('/suppressions').send({ email, ...more })).body as SuppressionView;
  }

  /** What other parts put on the list. */
  async addAs(origin: 'bounce' | 'complaint', address: string): Promise<void> {
    const entry = { accountId: this.mine.accountId, address, origin, reason: null, sourceId: newId('em') };
    await this.gateway.app.get(SuppressionList).add(this.gateway.app.get(Database), entry);
  }

  async listed(query: string): Promise<unknown[]> {
    return (await answerOf(this.agent.get(`/suppressions?${query}`))).body.data.map(({ email }) => email);
  }

  async audited(): Promise<Record<string, unknown>[]> {
    const text = 'SELECT actor, action, target, details FROM audit_log WHERE account_id = $1 ORDER BY id';
    return (await this.gateway.app.get(Database).query(text, [this.mine.accountId])).rows;
  }
}

/** Sends the request. */
export async function answerOf(test: Test): Promise<SuppressionAnswer> {
  const { status, body } = await test;
  return { status, body: body as SuppressionAnswer['body'] };
}

/** The path of an address. */
export const entryAt = (email: string) => `/suppressions/${encodeURIComponent(email)}`;
export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
