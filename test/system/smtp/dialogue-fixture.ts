import { cli } from '../../support/services/cli.js';
import { accountOn, openAccount, vouch, type ServiceAccount } from '../../support/services/service-client.js';
import type { DialogueServer } from '../../support/smtp/smtp-player.js';
import type { TlsMode } from '../../support/smtp/smtp-script.js';

interface Made {
  id: string;
  token: string;
}

const SANDBOX = 'sandbox.dialogues.test';
const FROM = `orders@${SANDBOX}`;

/**
 * The started program with the accounts and keys that dialogues log in as: nobody named is an account without limits;
 * `spent` one whose plan is one mail, and who is blocked then; `other` a second one with two domains; of its keys `narrow`
 * is for one domain, `far` for another network, `reading` may not send, and others are made by `do make the key …`,
 * one for each dialogue, since several are played at a time.
 * Each account costs two runs of the command line.
 */
export class DialogueFixture implements DialogueServer {
  readonly postfix = false;
  private readonly logins = new Map<string, [user: string, password: string]>();
  /** Ids of the keys that dialogues made, by the name they gave them. */
  private readonly made = new Map<string, string>();

  private constructor(
    readonly program: ServiceAccount,
    private readonly accounts: Record<'other' | 'spent', ServiceAccount>,
  ) {
    this.logins.set('', [FROM, program.key]);
  }

  static async start(): Promise<DialogueFixture> {
    const program = await openAccount('smtp', { domain: SANDBOX });
    const [other, spent] = await Promise.all([
      accountOn(program, { domain: 'other.example' }),
      accountOn(program, { domain: 'spent.example', plan: '1' }),
    ]);
    const fixture = new DialogueFixture(program, { other, spent });
    await fixture.furnish();
    return fixture;
  }

  port(mode: TlsMode): number {
    return mode === 'implicit' ? this.program.ports.smtps : this.program.ports.smtp;
  }

  variable(name: string): string | undefined {
    if (name === 'from') return FROM;
    if (name === 'soon') return new Date(Date.now() + 3_600_000).toISOString();
    return name === 'late' ? new Date(Date.now() + 80 * 3_600_000).toISOString() : undefined;
  }

  login(who: string): [user: string, password: string] {
    const login = this.logins.get(who);
    if (!login) throw new Error(`nobody is called "${who}"`);
    return login;
  }

  async act(action: string): Promise<void> {
    const [, verb, key] = /^(make|revoke) the key (\w+)$/.exec(action) ?? [];
    if (verb === 'make') await this.makeKey(key);
    else if (verb === 'revoke') await this.asOther('DELETE', `/api-keys/${this.made.get(key)}`);
    else if (action === 'block the spent account')
      await cli(this.program.env, 'accounts', 'block', this.accounts.spent.id);
    else throw new Error(`nobody can "${action}"`);
  }

  private async makeKey(name: string): Promise<void> {
    const { id, token } = await this.madeByOther({ name });
    this.made.set(name, id);
    this.logins.set(name, ['boss@other.example', token]);
  }

  private async furnish(): Promise<void> {
    const { program, accounts } = this;
    const second = await vouch(program, accounts.other.id, 'second.example');
    this.logins.set('other', ['boss@other.example', accounts.other.key]);
    this.logins.set('spent', ['boss@spent.example', accounts.spent.key]);
    const narrow = await this.madeByOther({ name: 'narrow', domain_ids: [second] });
    this.logins.set('narrow', ['boss@second.example', narrow.token]);
    const far = await this.madeByOther({ name: 'far', allowed_ips: ['203.0.113.0/24'] });
    this.logins.set('far', ['boss@other.example', far.token]);
    const reading = await this.madeByOther({ name: 'reading', scopes: ['domains.read'] });
    this.logins.set('reading', ['boss@other.example', reading.token]);
    this.logins.set('foreign', ['boss@other.example', program.key]);
    this.logins.set('unknown', ['boss@nowhere.example', program.key]);
    this.logins.set('wrong', [FROM, 'pl_live_wrong']);
    this.logins.set('alias', ['resend', program.key]);
    await program.call('POST', '/suppressions', { email: 'gone@example.com' });
    await this.asOther('POST', '/suppressions', { email: 'gone@example.com', domain_id: second });
  }

  private async madeByOther(key: object): Promise<Made> {
    const answer = await this.asOther('POST', '/api-keys', key);
    if (answer.status !== 201) throw new Error(`no key: ${await answer.text()}`);
    return (await answer.json()) as Made;
  }

  private asOther(method: string, path: string, body?: object): Promise<Response> {
    return this.accounts.other.call(method, path, body);
  }
}
