import { isIP } from 'node:net';
import { StubResolver } from '#libs/dns';
import { isPublicAddress } from '#libs/kernel';

const TIMEOUT_MS = 2_000;
/** All addresses are checked; only so many are tried. */
const MAX_TRIED = 4;

/** The target is not on the public internet. Carries no address: private addresses must not be disclosed. */
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
 * Resolves a host to the addresses that may be connected to, by the servers of DNS_SERVERS only where it is set. One
 * address that is not public refuses the whole name: an answer that mixes both is an attempt to pass the check.
 */
export class TargetResolver {
  private readonly dns: StubResolver;

  constructor(private readonly options: { allowPrivate: boolean; dnsServers?: readonly string[] }) {
    this.dns = new StubResolver({ servers: options.dnsServers ?? [], timeoutMs: TIMEOUT_MS });
  }

  /**
   * IPv4 first. An IP literal is checked like a resolved address: the HTTP client connects to it without a lookup.
   * @throws TargetRefused, TargetUnresolved
   */
  async addresses(host: string): Promise<string[]> {
    const found = isIP(host) === 0 ? await this.resolve(host) : [host];
    if (found.length === 0) throw new TargetUnresolved();
    if (!this.options.allowPrivate && !found.every(isPublicAddress)) throw new TargetRefused();
    return found.slice(0, MAX_TRIED);
  }

  private async resolve(host: string): Promise<string[]> {
    const name = host.toLowerCase().replace(/\.$/, '');
    // RFC 6761 §6.3: never sent to DNS.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([this.dns.ipv4(name), this.dns.ipv6(name)]);
    return answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.map(({ address }) => address) : [],
    );
  }
}
