import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const { IPv4, IPv6 } = ipaddr;

/**
 * Networks of IPv4 and IPv6 addresses, in CIDR notation (RFC 4632) or as single addresses. An IPv4-mapped IPv6 address
 * (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) is treated as the IPv4 address, on both sides.
 */
export class AddressRanges {
  private readonly ranges: readonly Range[];

  /** @throws Error for texts that `normalise` rejects */
  constructor(networks: readonly string[]) {
    this.ranges = networks.map((text) => {
      const range = rangeOf(text);
      if (range === null) throw new Error(`"${text}" is not a network`);
      return range;
    });
  }

  /**
   * The canonical notation of a network: `192.0.2.0/24`, `2001:db8::/32`, `192.0.2.1/32`. Null for other texts, including
   * octal and shortened IPv4, zones, and networks with bits after their prefix, which are mostly typing mistakes.
   */
  static normalise(text: string): string | null {
    const range = rangeOf(text);
    return range && `${range[0].toString()}/${range[1]}`;
  }

  /** False for a text that is not an address. */
  includes(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.ranges.some(([network, prefix]) => isWithin(parsed, network, prefix));
  }

  /** True if every network of `others` is inside one of these. */
  covers(others: AddressRanges): boolean {
    return others.ranges.every(([inner, length]) =>
      this.ranges.some(([network, prefix]) => length >= prefix && isWithin(inner, network, prefix)),
    );
  }
}

const MAPPED_PREFIX = 96;

function rangeOf(text: string): Range | null {
  const [address, prefix, ...rest] = text.split('/');
  const parsed = addressOf(address);
  if (parsed === null || rest.length > 0 || (prefix !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(prefix))) return null;
  const bits = parsed instanceof IPv4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits || !isNetwork(parsed, length)) return null;
  return parsed instanceof IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_PREFIX
    ? [parsed.toIPv4Address(), length - MAPPED_PREFIX]
    : [parsed, length];
}

function addressOf(text: string): Address | null {
  if (IPv4.isValidFourPartDecimal(text)) return IPv4.parse(text);
  return text.includes(':') && !text.includes('%') && IPv6.isValid(text) ? IPv6.parse(text) : null;
}

function isNetwork(address: Address, prefix: number): boolean {
  return address.toByteArray().every((byte, i) => {
    const kept = Math.min(8, Math.max(0, prefix - 8 * i));
    return (byte & (0xff >> kept)) === 0;
  });
}

function isWithin(address: Address, network: Address, prefix: number): boolean {
  if (address instanceof IPv4) return network instanceof IPv4 && address.match(network, prefix);
  return network instanceof IPv6 && address.match(network, prefix);
}

/** The Azure host node, which serves credentials of the machine although its range is public. */
const AZURE_HOST = '168.63.129.16';
/** RFC 4291 §2.4 allows more, but only 2000::/3 is assigned as global unicast. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an IP address (not a name) of the public internet. Only "unicast" is allowed, so that mapped, translated
 * (NAT64, 6to4, Teredo), documentation, benchmark and all private ranges are refused without being listed.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_V6) : parsed.toString() !== AZURE_HOST;
}
