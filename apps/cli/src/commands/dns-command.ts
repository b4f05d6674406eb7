import { isIP, isIPv6 } from 'node:net';
import { reverseName } from '#libs/dns';
import type { Config } from '#libs/kernel';
import { DoctorDns } from '../doctor/probes/dns.js';
import { findSourceAddresses } from '../doctor/probes/source-addresses.js';
import { UsageError, type Command, type CommandInput } from './command.js';
import { listOption } from './option-checks.js';

/** One record of the operator's zone. */
interface ServiceRecord {
  name: string;
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'PTR';
  value: string;
}

/** An address that messages are sent from, with its name in EHLO. */
interface Source {
  address: string;
  heloName: string;
}

/** Stands for an address that this machine cannot know. */
const UNKNOWN: Source[] = [{ address: '<the address that others see>', heloName: '' }];

const dns: Command = {
  name: 'dns',
  positionals: [],
  options: { address: { type: 'string' } },
  synopsis: '[--address <ip,…>]',
  summary:
    'Prints the DNS records of SERVICE_DOMAIN as lines of a zone file (docs/operator-dns.md); --address names the public addresses if this machine does not have them.',
  prepareWithSettings: (input) => {
    const given = addressOption(input);
    return async (config) => {
      const { SERVICE_DOMAIN } = config.settings;
      const sources = given?.map((address) => ({ address, heloName: `smtp.${SERVICE_DOMAIN}` }));
      const records = serviceRecords(SERVICE_DOMAIN, sources ?? (await foundSources(config)));
      return { json: records, text: records.map(({ name, type, value }) => `${name}. ${type} ${value}`).join('\n') };
    };
  },
};

export const DNS_COMMANDS: readonly Command[] = [dns];

/** @throws UsageError */
function addressOption(input: CommandInput): string[] | undefined {
  const addresses = listOption(input, 'address');
  const wrong = addresses?.find((address) => isIP(address) === 0);
  if (wrong !== undefined)
    throw new UsageError(`--address takes IP addresses, separated by commas; "${wrong}" is none.`);
  return addresses;
}

async function foundSources(config: Config): Promise<Source[]> {
  const lookUp = new DoctorDns(config);
  try {
    const { addresses } = await findSourceAddresses(config, lookUp);
    return addresses.length > 0 ? addresses : UNKNOWN;
  } finally {
    lookUp.close();
  }
}

/** The records that docs/operator-dns.md lists, in its order. */
export function serviceRecords(domain: string, sources: readonly Source[]): ServiceRecord[] {
  const host = `smtp.${domain}`;
  const mechanisms = sources.map(({ address }) => `${isIPv6(address) ? 'ip6' : 'ip4'}:${address}`).join(' ');
  const senders = `"v=spf1 include:spf.${domain} -all"`;
  return [
    ...sources.map((source) => hostRecord(source, host)),
    { name: `spf.${domain}`, type: 'TXT', value: `"v=spf1 ${mechanisms} -all"` },
    { name: `bounces.${domain}`, type: 'MX', value: `10 ${host}.` },
    { name: `bounces.${domain}`, type: 'TXT', value: senders },
    { name: domain, type: 'MX', value: `10 ${host}.` },
    { name: domain, type: 'TXT', value: senders },
    { name: `_dmarc.${domain}`, type: 'TXT', value: `"v=DMARC1; p=none; rua=mailto:dmarc@${domain}"` },
    { name: `*._report._dmarc.${domain}`, type: 'TXT', value: '"v=DMARC1;"' },
    { name: `track.${domain}`, type: 'CNAME', value: `${host}.` },
    ...sources
      .filter(({ address }) => isIP(address) !== 0)
      .map(({ address, heloName }) => ({ name: reverseName(address), type: 'PTR' as const, value: `${heloName}.` })),
  ];
}

function hostRecord({ address, heloName }: Source, host: string): ServiceRecord {
  return { name: heloName || host, type: isIPv6(address) ? 'AAAA' : 'A', value: address };
}
