import { isSpf, readSpf } from '#libs/domains';
import { shapingPlan } from '#libs/emails';
import { isPublicAddress, type Config } from '#libs/kernel';
import type { SourceAddress } from '#libs/mta';
import ipaddr from 'ipaddr.js';
import dgram from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { DnsDesk } from './dns-desk.js';

/** Which addresses receivers see our mail come from, and how that is known. */
export interface Sources {
  /**
   * `pools`: SHAPING_FILE names them. `route`: those of this machine that lead to the internet. `records`: of IPv4, IPv6 or
   * both this machine has no public address, so there it is what DNS says of us. `smarthost`: no affair of ours.
   */
  known: 'pools' | 'route' | 'records' | 'smarthost';
  addresses: SourceAddress[];
  /** Addresses of this machine that the system would send from. */
  local: string[];
  /** Why DNS did not say what it should; null: it did, or was not asked. */
  unanswered: string | null;
}

/** Addresses of root name servers: far away, in every routing table. Nothing is sent there. */
const FAR_AWAY = { udp4: '198.41.0.4', udp6: '2001:503:ba3e::2:30' } as const;

export async function findSources(config: Config, dns: DnsDesk): Promise<Sources> {
  const heloName = `smtp.${config.settings.SERVICE_DOMAIN}`;
  const local = (await Promise.all([routeFrom('udp4'), routeFrom('udp6')])).filter((address) => address !== null);
  if (config.settings.DELIVERY_MODE === 'smarthost')
    return { known: 'smarthost', addresses: [], local, unanswered: null };
  const { pools } = shapingPlan(config);
  if (pools.length > 0) {
    const named = new Map(pools.flatMap(({ sources }) => sources.map((source) => [source.address, source] as const)));
    return { known: 'pools', addresses: [...named.values()], local, unanswered: null };
  }
  const outward = local.filter(isPublicAddress);
  const { published, unanswered } = await publishedAddresses(config.settings.SERVICE_DOMAIN, dns);
  const translated = published.filter((address) => !outward.some((own) => isIPv6(own) === isIPv6(address)));
  const addresses = [...outward, ...translated].map((address) => ({ address, heloName }));
  const known = outward.length > 0 && translated.length === 0 ? 'route' : 'records';
  return { known, addresses, local, unanswered };
}

/** The address that the kernel would send from; null where no route leads out. A connected datagram socket sends nothing. */
function routeFrom(family: keyof typeof FAR_AWAY): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(family);
    const end = (address: string | null) => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => end(null));
    socket.connect(53, FAR_AWAY[family], () => end(socket.address().address));
  });
}

/** What DNS says of us: the addresses of `smtp.`, and the single ones that `spf.` lists. */
async function publishedAddresses(
  service: string,
  dns: DnsDesk,
): Promise<{ published: string[]; unanswered: string | null }> {
  const [hosts, texts] = await Promise.all([dns.addresses(`smtp.${service}`), dns.texts(`spf.${service}`)]);
  const listed = (texts.kind === 'found' ? texts.values : []).filter(isSpf).flatMap(singleAddresses);
  const all = [...(hosts.kind === 'found' ? hosts.values : []), ...listed];
  const silent = [hosts, texts].find(({ kind }) => kind === 'no_answer');
  return {
    published: [...new Set(all.map((address) => ipaddr.parse(address).toString()))],
    unanswered: silent?.kind === 'no_answer' ? silent.reason : null,
  };
}

function singleAddresses(record: string): string[] {
  const terms = readSpf(record);
  if ('problem' in terms) return [];
  return terms
    .filter(({ name }) => name === 'ip4' || name === 'ip6')
    .map(({ argument }) => argument.replace(/(?<=\.\d+)\/32$|(?<=:.*)\/128$/, ''))
    .filter((argument) => !argument.includes('/'));
}
