import { spf } from '#libs/domains';
import { isPublicAddress, type Config } from '#libs/kernel';
import type { SourceAddress } from '#libs/mta';
import { throttlingPlan } from '#libs/queue';
import ipaddr from 'ipaddr.js';
import dgram from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { DoctorDns } from './dns.js';

/** The addresses that receivers see as the source of our mail. */
export interface SourceAddresses {
  /**
   * `pools`: set in SHAPING_FILE, with those of PENALTY_POOL, as in all cases. `route`: public addresses of this machine. `records`: for IPv4, IPv6 or both this machine
   * has no public address, so the addresses in our DNS records are used. `smarthost`: not applicable.
   */
  origin: 'pools' | 'route' | 'records' | 'smarthost';
  addresses: SourceAddress[];
  /** Local addresses of the default routes. */
  local: string[];
  /** Why a DNS query for our records failed; null: none failed. */
  unanswered: string | null;
}

/** Addresses of root name servers, which only a default route leads to. No packet is sent there. */
const ROOT_SERVERS = { udp4: '198.41.0.4', udp6: '2001:503:ba3e::2:30' } as const;

export async function findSourceAddresses(config: Config, dns: DoctorDns): Promise<SourceAddresses> {
  const heloName = `smtp.${config.settings.SERVICE_DOMAIN}`;
  const local = (await Promise.all([localAddress('udp4'), localAddress('udp6')])).filter((address) => address !== null);
  if (config.settings.DELIVERY_MODE === 'smarthost')
    return { origin: 'smarthost', addresses: [], local, unanswered: null };
  const { pools, penaltyPool } = throttlingPlan(config);
  const penalty = penaltyPool?.sources ?? [];
  if (pools.length > 0) {
    const byAddress = new Map(
      [...pools.flatMap(({ sources }) => sources), ...penalty].map((source) => [source.address, source] as const),
    );
    return { origin: 'pools', addresses: [...byAddress.values()], local, unanswered: null };
  }
  const publicAddresses = local.filter(isPublicAddress);
  const { published, unanswered } = await publishedAddresses(config.settings.SERVICE_DOMAIN, dns);
  const translated = published.filter((address) => !publicAddresses.some((own) => isIPv6(own) === isIPv6(address)));
  const ordinary = [...publicAddresses, ...translated].map((address) => ({ address, heloName }));
  const others = penalty.filter(({ address }) => !ordinary.some((one) => one.address === address));
  const addresses = [...ordinary, ...others];
  const origin = publicAddresses.length > 0 && translated.length === 0 ? 'route' : 'records';
  return { origin, addresses, local, unanswered };
}

/** The address that the kernel sends from; null without a route. Connecting a datagram socket sends no packet. */
function localAddress(family: keyof typeof ROOT_SERVERS): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(family);
    const end = (address: string | null) => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => end(null));
    socket.connect(53, ROOT_SERVERS[family], () => end(socket.address().address));
  });
}

/** The addresses of `smtp.`, and the single addresses in the SPF record of `spf.`. */
async function publishedAddresses(
  serviceDomain: string,
  dns: DoctorDns,
): Promise<{ published: string[]; unanswered: string | null }> {
  const [hosts, texts] = await Promise.all([dns.addresses(`smtp.${serviceDomain}`), dns.texts(`spf.${serviceDomain}`)]);
  const inSpf = (texts.kind === 'found' ? texts.values : []).filter(spf.isRecord).flatMap(singleAddresses);
  const all = [...(hosts.kind === 'found' ? hosts.values : []), ...inSpf];
  const failed = [hosts, texts].find(({ kind }) => kind === 'no_answer');
  return {
    published: [...new Set(all.map((address) => ipaddr.parse(address).toString()))],
    unanswered: failed?.kind === 'no_answer' ? failed.reason : null,
  };
}

function singleAddresses(record: string): string[] {
  const terms = spf.read(record);
  if ('problem' in terms) return [];
  return terms
    .filter(({ name }) => name === 'ip4' || name === 'ip6')
    .map(({ argument }) => withoutFullPrefix(argument))
    .filter((argument) => !argument.includes('/'));
}

/** `192.0.2.1/32` and `2001:db8::1/128` are single addresses. */
function withoutFullPrefix(network: string): string {
  const full = network.includes(':') ? '/128' : '/32';
  return network.endsWith(full) ? network.slice(0, -full.length) : network;
}
