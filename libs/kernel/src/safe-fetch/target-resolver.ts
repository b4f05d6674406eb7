import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { patientQuestion } from '../patient-question.js';
import { isPublicAddress } from './public-address.js';

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
const PATIENCE_MS = QUERY_TIMEOUT_MS * QUERY_TRIES;
/** More addresses than this are not tried; all of them are judged. */
const TRIED = 4;

/** The target is not on the public internet. Carries no address: what a private name resolves to is nobody's business. */
export class TargetRefused extends Error {
  constructor() {
    super('the target is not a public address');
  }
}
export class TargetUnresolved extends Error {
  constructor() {
    super('the name of the target does not resolve');
  }
}

/**
 * From a host to the addresses that may be connected to. Asks DNS itself (c-ares, off the thread pool that
 * `dns.lookup` shares with everybody) and only the servers of DNS_SERVERS when set. One address that is not public
 * refuses the whole name: an answer list that mixes both is how a guard is probed.
 */
export class TargetResolver {
  private readonly resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });

  constructor(private readonly options: { allowPrivate: boolean; dnsServers?: readonly string[] }) {
    if (options.dnsServers) this.resolver.setServers(options.dnsServers);
  }

  /**
   * IPv4 first. An IP literal is judged like a looked-up address: the HTTP client would connect to it without asking.
   * @throws TargetRefused, TargetUnresolved
   */
  async addresses(host: string): Promise<string[]> {
    const found = isIP(host) === 0 ? await this.lookUp(host) : [host];
    if (found.length === 0) throw new TargetUnresolved();
    if (!this.options.allowPrivate && !found.every(isPublicAddress)) throw new TargetRefused();
    return found.slice(0, TRIED);
  }

  private async lookUp(host: string): Promise<string[]> {
    const name = host.toLowerCase().replace(/\.$/, '');
    // RFC 6761 §6.3: never a question for DNS.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const [v4, v6] = await Promise.allSettled([
      patientQuestion(PATIENCE_MS, () => this.resolver.resolve4(name)),
      patientQuestion(PATIENCE_MS, () => this.resolver.resolve6(name)),
    ]);
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}
