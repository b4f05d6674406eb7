import { cli } from './cli.js';
import { startStandalone, type RunningProgram } from './program.js';
import type { Theatre } from './smtp-player.js';
import type { Door } from './smtp-script.js';

interface Account {
  id: string;
  api_key: string;
}
interface Made {
  id: string;
  token: string;
}

const SANDBOX = 'orders@sandbox.postloft.test';

/**
 * The started program with the accounts and keys that dialogues log in as:
 * `(nobody named)` an account without limits, `spent` one whose plan is one mail, `other` a second one with two domains,
 * `narrow` a key of it for one domain, `far` one for another network, `reading` one that may not send, `fresh` one made by
 * `do make a fresh key`, `troubled` an account that is blocked in a dialogue, `overdue` one that owes.
 */
export class DialogueStage implements Theatre {
  readonly postfix = false;
  private readonly logins = new Map<string, [user: string, password: string]>();
  private fresh: Made | undefined;

  private constructor(
    readonly program: RunningProgram,
    private readonly accounts: Record<'other' | 'spent' | 'troubled' | 'overdue', Account>,
  ) {
    this.logins.set('', [SANDBOX, program.key]);
  }

  static async start(): Promise<DialogueStage> {
    const program = await startStandalone({ SMTP_AUTH_FAILURES_PER_MINUTE: '10000' });
    const account = async (name: string, plan: string) =>
      JSON.parse(await cli(program.env, 'accounts', 'create', '--name', name, '--plan', plan, '--json')) as Account;
    const [other, spent, troubled, overdue] = await Promise.all([
      account('Other', 'unlimited'),
      account('Spent', '1'),
      account('Troubled', 'free'),
      account('Overdue', 'free'),
    ]);
    const stage = new DialogueStage(program, { other, spent, troubled, overdue });
    await stage.furnish();
    return stage;
  }

  async stop(): Promise<void> {
    await this.program.stop();
    this.program.clean();
  }

  port(door: Door): number {
    return door === 'implicit' ? this.program.ports.smtps : this.program.ports.smtp;
  }

  variable(name: string): string | undefined {
    if (name === 'from') return SANDBOX;
    if (name === 'soon') return new Date(Date.now() + 3_600_000).toISOString();
    return name === 'late' ? new Date(Date.now() + 80 * 3_600_000).toISOString() : undefined;
  }

  login(who: string): [user: string, password: string] {
    const login = this.logins.get(who);
    if (!login) throw new Error(`nobody is called "${who}"`);
    return login;
  }

  async act(action: string): Promise<void> {
    const acts: Record<string, () => Promise<unknown>> = {
      'make a fresh key': () => this.makeFreshKey(),
      'revoke the fresh key': () => this.asOther('DELETE', `/api-keys/${this.fresh?.id}`),
      'block the troubled account': () => cli(this.program.env, 'accounts', 'block', this.accounts.troubled.id),
    };
    if (!acts[action]) throw new Error(`nobody can "${action}"`);
    await acts[action]();
  }

  private async makeFreshKey(): Promise<void> {
    this.fresh = await this.madeByOther({ name: 'fresh' });
    this.logins.set('fresh', ['boss@other.example', this.fresh.token]);
  }

  private async furnish(): Promise<void> {
    const { program, accounts } = this;
    const vouch = async ({ id }: Account, domain: string) =>
      JSON.parse(await cli(program.env, 'domains', 'vouch', id, domain, '--json')) as { id: string };
    const [second] = await Promise.all([
      vouch(accounts.other, 'second.example'),
      vouch(accounts.other, 'other.example'),
      vouch(accounts.spent, 'spent.example'),
      cli(program.env, 'accounts', 'overdue', accounts.overdue.id),
    ]);
    this.logins.set('other', ['boss@other.example', accounts.other.api_key]);
    this.logins.set('spent', ['boss@spent.example', accounts.spent.api_key]);
    this.logins.set('troubled', ['resend', accounts.troubled.api_key]);
    this.logins.set('overdue', ['resend', accounts.overdue.api_key]);
    const narrow = await this.madeByOther({ name: 'narrow', domain_ids: [second.id] });
    this.logins.set('narrow', ['boss@second.example', narrow.token]);
    const far = await this.madeByOther({ name: 'far', allowed_ips: ['203.0.113.0/24'] });
    this.logins.set('far', ['boss@other.example', far.token]);
    const reading = await this.madeByOther({ name: 'reading', scopes: ['domains.read'] });
    this.logins.set('reading', ['boss@other.example', reading.token]);
    this.logins.set('foreign', ['boss@other.example', program.key]);
    this.logins.set('unknown', ['boss@nowhere.example', program.key]);
    this.logins.set('wrong', [SANDBOX, 'pl_live_wrong']);
    this.logins.set('alias', ['resend', program.key]);
    await program.call('POST', '/suppressions', { email: 'gone@example.com' });
    await this.asOther('POST', '/suppressions', { email: 'gone@example.com', domain_id: second.id });
  }

  private async madeByOther(key: object): Promise<Made> {
    const answer = await this.asOther('POST', '/api-keys', key);
    if (answer.status !== 201) throw new Error(`no key: ${await answer.text()}`);
    return (await answer.json()) as Made;
  }

  private asOther(method: string, path: string, body?: object): Promise<Response> {
    return this.program.call(method, path, body, { authorization: `Bearer ${this.accounts.other.api_key}` });
  }
}
