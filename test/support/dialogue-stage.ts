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
 * `(nobody named)` an account without limits, `spent` one whose plan is one mail, `narrow` a key for one domain of two,
 * `far` a key for another network, `reading` a key that may not send, `fresh` a key made by `do make a fresh key`,
 * `other` the account of the last four, `troubled` one that is blocked and let free again, `overdue` one that owes.
 */
export class DialogueStage implements Theatre {
  readonly postfix = false;
  private readonly logins = new Map<string, [user: string, password: string]>();
  private fresh: Made | undefined;

  private constructor(
    readonly program: RunningProgram,
    private readonly other: Account,
    private readonly troubled: Account,
  ) {
    this.logins.set('', [SANDBOX, program.key]);
  }

  static async start(): Promise<DialogueStage> {
    const program = await startStandalone({ SMTP_AUTH_FAILURES_PER_MINUTE: '10000' });
    const account = async (name: string, plan: string) =>
      JSON.parse(await cli(program.env, 'accounts', 'create', '--name', name, '--plan', plan, '--json')) as Account;
    const accounts = await Promise.all([
      account('Other', 'unlimited'),
      account('Spent', '1'),
      account('Troubled', 'free'),
      account('Overdue', 'free'),
    ]);
    const [other, spent, troubled, overdue] = accounts;
    const stage = new DialogueStage(program, other, troubled);
    await stage.furnish(spent, overdue);
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
      'block the troubled account': () => this.standing('block'),
      'let the troubled account free': () => this.standing('unblock'),
      'make the troubled account overdue': () => this.standing('overdue'),
    };
    if (!acts[action]) throw new Error(`nobody can "${action}"`);
    await acts[action]();
  }

  private standing(verb: string): Promise<string> {
    return cli(this.program.env, 'accounts', verb, this.troubled.id);
  }

  private async makeFreshKey(): Promise<void> {
    this.fresh = await this.madeByOther({ name: 'fresh' });
    this.logins.set('fresh', ['boss@other.example', this.fresh.token]);
  }

  private async furnish(spent: Account, overdue: Account): Promise<void> {
    const { program, other } = this;
    const vouch = async (id: string, domain: string) =>
      JSON.parse(await cli(program.env, 'domains', 'vouch', id, domain, '--json')) as { id: string };
    const [second] = await Promise.all([
      vouch(other.id, 'second.example'),
      vouch(other.id, 'other.example'),
      vouch(spent.id, 'spent.example'),
      vouch(this.troubled.id, 'troubled.example'),
      cli(program.env, 'accounts', 'overdue', overdue.id),
    ]);
    this.logins.set('troubled', ['boss@troubled.example', this.troubled.api_key]);
    this.logins.set('overdue', ['boss@overdue.example', overdue.api_key]);
    this.logins.set('other', ['boss@other.example', other.api_key]);
    this.logins.set('spent', ['boss@spent.example', spent.api_key]);
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
    return this.program.call(method, path, body, { authorization: `Bearer ${this.other.api_key}` });
  }
}
