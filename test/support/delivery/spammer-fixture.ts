import { MailNetwork } from '../services/mail-network.js';
import { openCommandLine, type CommandLine } from '../services/command-line.js';
import { callersOf } from '../services/program.js';
import { until } from '../timing/until.js';
import { SpamAverseProvider } from './spam-averse-provider.js';

const PROVIDER = 'provider.test';
export const PENALTY_HELO = 'penalty.example.org';
const BURST = 20;

interface Account {
  id: string;
  domain: string;
  json: ReturnType<typeof callersOf>['json'];
}

/** A service, a provider that dislikes spam, and accounts that send there; the first of them sends spam. */
export class SpammerFixture {
  private constructor(
    readonly network: MailNetwork,
    readonly provider: SpamAverseProvider,
    readonly commands: CommandLine,
    readonly spammer: Account,
    readonly others: readonly Account[],
  ) {}

  static async start(
    of: { accounts: number; tolerated: number },
    env: Record<string, string>,
  ): Promise<SpammerFixture> {
    const network = await MailNetwork.start({ ABUSE_BRAKES: 'off', ...env });
    const provider = new SpamAverseProvider(of.tolerated);
    provider.watch(await network.mailServer(PROVIDER, provider.script));
    const commands = await openCommandLine(network.sender.env);
    const accounts: Account[] = [];
    for (let i = 0; i < of.accounts; i++) {
      const domain = `account${i}.example.org`;
      const made = (await commands.run(['accounts', 'create', '--name', domain, '--plan', 'unlimited'])) as {
        id: string;
        api_key: string;
      };
      await commands.run(['domains', 'vouch', made.id, domain]);
      accounts.push({ id: made.id, domain, json: callersOf(network.sender.url, made.api_key).json });
    }
    const [spammer, ...others] = accounts;
    return new SpammerFixture(network, provider, commands, spammer, others);
  }

  /** Emails of one account to so many addresses of the provider. */
  async send({ json, domain }: Account, recipient: string, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += BURST)
      await Promise.all(
        Array.from({ length: Math.min(BURST, count - sent) }, (_, i) =>
          json('POST', '/emails', {
            from: `news@${domain}`,
            to: `${recipient}${sent + i}@${PROVIDER}`,
            subject: 'Hello',
            text: 'Hello',
          }),
        ),
      );
  }

  async poolOf({ json }: Account): Promise<string> {
    return (await json<{ pool: string }>('GET', '/account')).pool;
  }

  /** Of the emails of all other accounts: how many there are, and how many were delivered by the first attempt. */
  async outcomes(): Promise<{ emails: number; delivered: number; deferred: number }> {
    const found = { emails: 0, delivered: 0, deferred: 0 };
    for (const { json } of this.others) {
      const { data } = await json<{ data: { status: string; id: string }[] }>('GET', '/emails?limit=100');
      found.emails += data.length;
      found.delivered += data.filter(({ status }) => status === 'delivered').length;
      found.deferred += data.filter(({ status }) => status === 'deferred').length;
    }
    return found;
  }

  /** Waits until the provider has had as much spam from a source as it tolerates. */
  async untilBlocked(source: string): Promise<void> {
    await until(async () => (this.provider.deferred.get(source) ?? 0) > 0, {
      what: `${source} to be deferred`,
      withinMs: 60_000,
    });
  }

  async close(): Promise<void> {
    await this.commands.close();
    await this.network.close();
  }
}
