import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Refusal } from '#libs/contracts';
import { DnsSession } from '#libs/dns';
import { domainName, spf } from '#libs/domains';
import { Config, Semaphore } from '#libs/kernel';
import { domainOf } from '#libs/mime';
import { isNameOfMxHost, organisationalDomain, reportingOrganisations } from './organisations.js';
import { ReportDns } from './report-dns.js';
import { verifyDkim } from './verify-dkim.js';

/** The origin of a message, from its SMTP session. */
export interface ReportOrigin {
  /** Empty for the null sender. */
  mailFrom: string;
  /** The name in HELO or EHLO. */
  helo: string;
  remoteIp: string;
  message: Buffer;
}

/** Whether a report comes from the mail system of its recipient. */
export type Proof = { proved: true } | { proved: false; reason: string };

/** DNS questions of one message end after this time. */
const DNS_MS = 4_000;
const AT_ONCE = 32;
/** Names of one address that are checked. */
const MAX_REVERSE_NAMES = 10;

/**
 * Decides whether a report was sent by the mail system that handles the mail of a domain, because it may name other
 * recipients than the one whose copy of the message its sender has seen (docs/decisions/028-inbound-reports.md). One of
 * these must belong to an organisation of the domain: SPF pass of MAIL FROM or, for the null sender, of HELO; an aligned
 * DKIM signature. The forward-confirmed reverse name of the client must be that of an MX host, because the names that a
 * hoster gives to the servers of its customers belong to its organisation too; any other needs SPF pass of HELO.
 */
@Injectable()
export class ReportAuthenticator {
  private readonly running = new Semaphore(AT_ONCE);

  constructor(private readonly config: Config) {}

  /** @throws Refusal, a temporary one, if DNS does not answer for the domain itself. */
  prove(origin: ReportOrigin, recipientDomain: string): Promise<Proof> {
    return this.running.run(async () => {
      const session = new DnsSession(DNS_MS);
      try {
        const dns = new ReportDns(session.resolver(this.config.settings.DNS_SERVERS ?? []));
        return await proveBy(origin, recipientDomain, dns);
      } finally {
        session.cancel();
        session.close();
      }
    });
  }
}

async function proveBy(origin: ReportOrigin, recipientDomain: string, dns: ReportDns): Promise<Proof> {
  const domain = domainName.normalise(recipientDomain);
  if (domain === null) return { proved: false, reason: 'the address of the recipient has no domain name' };
  const mx = await dns.mx(domain);
  if (mx.kind === 'no_answer')
    throw new Refusal('service_unavailable', [], 'DNS does not answer for the reported domain. Try again later.');
  const mxHosts = mx.kind === 'found' ? mx.values : [];
  const organisations = reportingOrganisations(domain, mxHosts);
  const system: MailSystem = {
    mxHosts,
    isTheirs: (name) => organisations.has(organisationalDomain(name) ?? ''),
  };
  const problems: string[] = [];
  for (const check of [spfProblem, dkimProblem, reverseNameProblem]) {
    const problem = await check(origin, system, dns);
    if (problem === null) return { proved: true };
    problems.push(problem);
  }
  return {
    proved: false,
    reason: `not proved to come from the mail system of ${domain}: ${problems.join('; ')}`,
  };
}

/** The mail system of a recipient's domain. */
interface MailSystem {
  mxHosts: readonly string[];
  /** Whether a name belongs to one of its organisations. */
  isTheirs: (name: string) => boolean;
}

/** A check of one kind of evidence: null if it proves the origin. Asks DNS only about domains that may be evidence. */
type Check = (origin: ReportOrigin, system: MailSystem, dns: ReportDns) => Promise<string | null>;

const spfProblem: Check = (origin, system, dns) =>
  spfProblemOf(origin.mailFrom === '' ? 'HELO' : 'MAIL FROM')(origin, system, dns);

const spfProblemOf =
  (identity: 'HELO' | 'MAIL FROM'): Check =>
  async ({ mailFrom, helo, remoteIp }, { isTheirs }, dns) => {
    const domain = domainName.normalise(identity === 'HELO' ? helo : domainOf(mailFrom));
    if (domain === null) return `SPF: no domain in ${identity}`;
    if (!isTheirs(domain)) return `SPF: ${domain} (${identity}) is of others`;
    if (!ipaddr.isValid(remoteIp)) return 'SPF: the client has no address';
    const { result } = await spf.checkHost({ address: remoteIp, domain, helo }, dns);
    return result === 'pass' ? null : `SPF: ${result} for ${domain} (${identity})`;
  };

const dkimProblem: Check = async ({ message }, { isTheirs }, dns) => {
  const found = await verifyDkim(message, isTheirs, dns);
  return 'domain' in found && isTheirs(found.domain.toLowerCase()) ? null : `DKIM: ${problemOf(found)}`;
};

const problemOf = (found: { domain: string } | { problem: string }): string =>
  'problem' in found ? found.problem : 'no signature of them';

/** RFC 8601 §2.7.3 (iprev): the name of the address must lead back to it. */
const reverseNameProblem: Check = async (origin, system, dns) => {
  if (!ipaddr.isValid(origin.remoteIp)) return 'reverse name: none';
  const address = ipaddr.process(origin.remoteIp).toNormalizedString();
  const answer = await dns.names(address);
  if (answer.kind !== 'found') return 'reverse name: none';
  const names = answer.values
    .slice(0, MAX_REVERSE_NAMES)
    .filter((name) => system.isTheirs(name) || isNameOfMxHost(name, system.mxHosts));
  if (names.length === 0) return 'reverse name: of others';
  const confirmed: string[] = [];
  for (const name of names) if (await leadsTo(name, address, dns)) confirmed.push(name);
  if (confirmed.length === 0) return 'reverse name: does not lead back';
  if (confirmed.some((name) => isNameOfMxHost(name, system.mxHosts))) return null;
  const problem = await spfProblemOf('HELO')(origin, system, dns);
  return problem && `reverse name: not that of an MX host (${problem})`;
};

async function leadsTo(name: string, address: string, dns: ReportDns): Promise<boolean> {
  const answer = await dns.addresses(name);
  return (
    answer.kind === 'found' && answer.values.some((found) => ipaddr.process(found).toNormalizedString() === address)
  );
}
