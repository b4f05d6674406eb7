import { readFileSync } from 'node:fs';
import { LocalDns, type DnsName } from '../dns/local-dns.js';
import { mail } from '../samples/mail.js';
import { callersOf } from './program.js';
import { ask, nextNumber } from './host-client.js';
import type { ServiceName } from './profiles.js';
import { senderOf, type Sender } from './sender.js';
import type { ServiceData } from './service-host.js';

/** A shared service seen through an account of its own, which nobody else uses. */
export interface ServiceAccount extends ServiceData, Sender {
  /** Of the account. `output` is the log of the whole service, in which other accounts appear as well. */
  id: string;
  domainId: string;
}

export interface AccountOptions {
  plan?: string;
  /** By default a name that no other account has. */
  domain?: string;
}

/** Makes an account with a domain on a shared service, which is started if nobody has asked for it before. */
export async function openAccount(name: ServiceName, options: AccountOptions = {}): Promise<ServiceAccount> {
  return accountOn(await sharedService(name), options);
}

export async function sharedService(name: ServiceName): Promise<ServiceData> {
  return (await ask('GET', `/services/${name}`)) as ServiceData;
}

/** Makes a further account with a domain. */
export async function accountOn(service: ServiceData, options: AccountOptions = {}): Promise<ServiceAccount> {
  const { plan = 'unlimited', domain = `sender-${await nextNumber()}.example.org` } = options;
  const created = await command(service, 'accounts', 'create', '--name', domain, '--plan', plan);
  const { id, api_key: key } = created as { id: string; api_key: string };
  const domainId = await vouch(service, id, domain);
  const from = `orders@${domain}`;
  return {
    ...service,
    id,
    key,
    domain,
    domainId,
    from,
    ...senderOf(callersOf(service.url, key), (over) => mail({ from: `Shop <${from}>`, ...over })),
    output: () => readFileSync(service.logFile, 'utf8'),
  };
}

/** Lets the account send from one more domain; resolves with the id of the domain. */
export async function vouch(service: ServiceData, accountId: string, domain: string): Promise<string> {
  return ((await command(service, 'domains', 'vouch', accountId, domain)) as { id: string }).id;
}

/** A command of the command line; a process for each would take most of the time of a small test. */
async function command({ name }: ServiceData, ...words: string[]): Promise<unknown> {
  return ask('POST', `/commands/${name}`, JSON.stringify(words));
}

/** Answers for these zones, and all names below them, to every shared service until it is closed. */
export async function openZones(zones: readonly string[], names: Record<string, DnsName> = {}): Promise<LocalDns> {
  const dns = await LocalDns.start(names);
  for (const zone of zones) await ask('PUT', `/zones/${zone}`, String(dns.port));
  dns.onClose = async () => {
    for (const zone of zones) await ask('DELETE', `/zones/${zone}`);
  };
  return dns;
}
