import { Resolver } from 'node:dns/promises';
import { patientQuestion } from '#libs/kernel';

/** Values are texts with their strings joined, or host names in lower case without a final dot. */
export type DnsAnswer =
  | { kind: 'found'; values: string[] }
  /** The name, or this type of record at it, does not exist. */
  | { kind: 'none' }
  | { kind: 'no_answer'; reason: string };

const TIMEOUT_MS = 1_500;
const TRIES = 2;
const PATIENCE_MS = TIMEOUT_MS * TRIES;
/** No honest name has more; what is beyond is not looked at. */
const VALUES = 50;
const VALUE_LENGTH = 4_096;

/** After one of these a server is not asked again: waiting for it once is enough for one check. */
const SILENCE = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/** One place to ask: a name server, or some resolvers. Made anew for each check. */
export class DnsServer {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  private silent: DnsAnswer | undefined;

  /**
   * @param addresses `ip` or `ip:port`, asked in this order; empty: the resolvers of this machine
   * @param knows `everything`, as a resolver does, or one `zone`: then an alias that leads out of it is no answer
   */
  constructor(
    addresses: readonly string[],
    private readonly knows: 'everything' | 'zone' = 'everything',
  ) {
    if (addresses.length > 0) this.resolver.setServers(addresses);
  }

  texts(name: string): Promise<DnsAnswer> {
    return this.answer(async () => (await this.resolver.resolveTxt(name)).map((strings) => strings.join('')));
  }

  aliases(name: string): Promise<DnsAnswer> {
    return this.answer(async () => (await this.resolver.resolveCname(name)).map(bareName));
  }

  nameServers(name: string): Promise<DnsAnswer> {
    return this.answer(async () => (await this.resolver.resolveNs(name)).map(bareName));
  }

  /** IPv4 first. */
  async addresses(host: string): Promise<string[]> {
    const answers = await Promise.all([
      this.answer(() => this.resolver.resolve4(host)),
      this.answer(() => this.resolver.resolve6(host)),
    ]);
    return answers.flatMap((found) => (found.kind === 'found' ? found.values : []));
  }

  /** Running questions end without an answer. */
  cancel(): void {
    this.silent = { kind: 'no_answer', reason: REASONS['ECANCELLED'] };
    this.resolver.cancel();
  }

  private async answer(ask: () => Promise<string[]>): Promise<DnsAnswer> {
    if (this.silent) return this.silent;
    try {
      const values = (await patientQuestion(PATIENCE_MS, ask))
        .slice(0, VALUES)
        .map((value) => value.slice(0, VALUE_LENGTH));
      if (values.length > 0) return { kind: 'found', values };
      // So c-ares answers for an alias (CNAME) that leads to nothing of this type.
      return this.knows === 'everything' ? { kind: 'none' } : { kind: 'no_answer', reason: 'it is an alias' };
    } catch (error) {
      const { code = 'EUNKNOWN' } = error as { code?: string };
      if (code === 'ENODATA' || code === 'ENOTFOUND') return { kind: 'none' };
      const failure: DnsAnswer = { kind: 'no_answer', reason: REASONS[code] ?? code };
      if (SILENCE.has(code)) this.silent = failure;
      return failure;
    }
  }
}

const bareName = (name: string): string => name.replace(/\.$/, '').toLowerCase();

/** The errors of node:dns in the words of people. */
const REASONS: Record<string, string> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  EREFUSED: 'the name server refused to answer',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server could not be reached',
  ECANCELLED: 'the check took too long',
};
