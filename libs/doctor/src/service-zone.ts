import type { Config } from '#libs/kernel';
import { addressRecords, spfTerm } from './addresses.js';
import { DoctorDns } from './probes/dns.js';
import { findSourceAddresses } from './probes/source-addresses.js';

/** The records that the operator publishes for the service domain (docs/operator-dns.md). */
export interface ServiceZone {
  /** Addresses that mail is sent from, as far as this machine and DNS tell. */
  addresses: string[];
  /** Lines of a zone file. */
  text: string;
}

const UNKNOWN_ADDRESS = '<the address that the world sees>';

/** @param given the addresses that mail is sent from, where this machine does not have them */
export async function serviceZone(config: Config, given?: readonly string[]): Promise<ServiceZone> {
  if (given !== undefined) {
    const heloName = `smtp.${config.settings.SERVICE_DOMAIN}`;
    return {
      addresses: [...given],
      text: zoneText(
        config,
        given.map((address) => ({ address, heloName })),
      ),
    };
  }
  const dns = new DoctorDns(config);
  try {
    const { addresses } = await findSourceAddresses(config, dns);
    return { addresses: addresses.map(({ address }) => address), text: zoneText(config, addresses) };
  } finally {
    dns.close();
  }
}

function zoneText({ settings }: Config, sources: readonly { address: string; heloName: string }[]): string {
  const service = settings.SERVICE_DOMAIN;
  const host = `smtp.${service}`;
  const addresses = sources.map(({ address }) => address);
  const own = sources.filter(({ heloName }) => heloName === host).map(({ address }) => address);
  const elsewhere = sources.filter(({ heloName }) => heloName !== host);
  const known = own.length > 0 ? own : addresses;
  const spf = addresses.length > 0 ? addresses.map(spfTerm).join(' ') : `ip4:${UNKNOWN_ADDRESS}`;
  return [
    '; The name in EHLO, the relay for customers, and the MX host for bounces',
    known.length > 0 ? addressRecords(host, known) : `${host}. A ${UNKNOWN_ADDRESS}`,
    ...elsewhere.map(({ address, heloName }) => addressRecords(heloName, [address])),
    '; All addresses that mail is sent from',
    `spf.${service}. TXT "v=spf1 ${spf} -all"`,
    '; The domain of the envelope sender',
    `bounces.${service}. MX 10 ${host}.`,
    `bounces.${service}. TXT "v=spf1 include:spf.${service} -all"`,
    "; The service's own messages and mailboxes",
    `${service}. MX 10 ${host}.`,
    `${service}. TXT "v=spf1 include:spf.${service} -all"`,
    `_dmarc.${service}. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${service}"`,
    `*._report._dmarc.${service}. TXT "v=DMARC1;"`,
    "; Target of customers' track.<domain> aliases",
    `track.${service}. CNAME ${host}.`,
  ].join('\n');
}
