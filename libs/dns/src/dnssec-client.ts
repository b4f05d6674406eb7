import { randomInt } from 'node:crypto';
import dns from 'node:dns';
import dnsPacket from 'dns-packet';
import type { Answer, DecodedPacket } from 'dns-packet';
import ipaddr from 'ipaddr.js';
import { TtlMap } from '#libs/kernel';
import { exchangeTcp, exchangeUdp, parseServer } from './dns-exchange.js';
import { canonicalName } from './dns-name.js';

/** Runs a query and counts its result; see `Resolver.track`. */
export type TrackQuery = <T>(query: () => Promise<T>) => Promise<T>;

/** One TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  data: Buffer;
}

export type DnssecType = 'MX' | 'A' | 'AAAA' | 'TLSA' | 'SOA';

export type DnssecAnswer =
  | {
      kind: 'answer';
      /** The AD bit: the resolver validated the signatures, also those of absence. */
      secure: boolean;
      /** MX hosts (lower case, without the final dot) or addresses. */
      values: readonly string[];
      tlsa: readonly TlsaRecord[];
      /** The name at the end of the aliases (CNAME); null without aliases. */
      alias: string | null;
    }
  | { kind: 'failed'; reason: string };

/** Larger UDP answers risk being lost (RFC 9715). */
const UDP_BYTES = 1232;
const TRIES = 2;
/** RFC 1035 §4.1.1 */
const NOERROR = 0;
const NXDOMAIN = 3;
/** One DANE lookup queries some names twice, whatever their TTL. */
const MIN_CACHE_MS = 1_000;
const MAX_CACHE_MS = 3_600_000;
const MAX_ABSENCE_MS = 300_000;
const MAX_CACHED = 20_000;
/** The root zone is signed, and every validating resolver can prove it. */
const SIGNED_NAME = '.';
/**
 * Forwarders on loopback addresses that pass on the AD bit of the upstream resolver unchecked: Docker's, and the stub of
 * systemd-resolved, which forwards queries that have the DO bit.
 */
const FORWARDERS = new Set(['127.0.0.11', '127.0.0.53', '127.0.0.54']);

/**
 * Queries one resolver with the DO and AD bits (RFC 6840 §5.7) and relies on the AD bit of the answer: check
 * `untrustedReason` and `probe` first. Answers are cached for their TTL, failures are not.
 */
export class DnssecClient {
  private readonly cached = new TtlMap<string, DnssecAnswer>(MAX_CACHED);
  private readonly pending = new Map<string, Promise<DnssecAnswer>>();
  private readonly server: string;

  /** Queries the first of `servers` (`ip` or `ip:port`), or of the system's where the list is empty. */
  constructor(
    servers: readonly string[],
    private readonly timeoutMs: number,
    private readonly track: TrackQuery = (query) => query(),
  ) {
    this.server = servers[0] ?? dns.getServers()[0] ?? '';
  }

  /**
   * Why the AD bit of this resolver proves nothing, whatever it answers; null: it may be trusted. The bit is worth as much
   * as the resolver and the path to it, so the resolver must run on this machine (RFC 7672 §2.1.1).
   */
  get untrustedReason(): string | null {
    const server = this.server;
    const { address } = parseServer(server);
    const isLocal = ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';
    if (!isLocal) return `the resolver ${server === '' ? '(none)' : server} is not on this machine`;
    return FORWARDERS.has(address)
      ? `the resolver ${server} only forwards, and does not check signatures itself`
      : null;
  }

  /** Whether the resolver validates signatures, with a clause that says so. Never rejects. */
  async probe(): Promise<{ validates: boolean; text: string }> {
    const answer = await this.ask(SIGNED_NAME, 'SOA');
    const resolver = `the resolver ${this.server}`;
    if (answer.kind === 'failed') return { validates: false, text: `${resolver} does not answer (${answer.reason})` };
    return answer.secure
      ? { validates: true, text: `${resolver} checks signatures` }
      : { validates: false, text: `${resolver} does not check signatures (DNSSEC)` };
  }

  /** Never rejects. Equal concurrent queries are sent once. */
  ask(name: string, type: DnssecType): Promise<DnssecAnswer> {
    const key = `${type} ${name}`;
    const cached = this.cached.get(key);
    if (cached !== undefined) return Promise.resolve(cached);
    let pending = this.pending.get(key);
    if (pending === undefined) {
      pending = this.send(name, type).finally(() => this.pending.delete(key));
      this.pending.set(key, pending);
    }
    return pending;
  }

  private async send(name: string, type: DnssecType): Promise<DnssecAnswer> {
    let reason = '';
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        const packet = await this.track(() => this.exchange(name, type));
        const code = (packet.flags ?? 0) & 0xf;
        if (code !== NOERROR && code !== NXDOMAIN) return failed(name, type, RCODES[code] ?? `code ${code}`);
        const answer = readAnswer(packet, name, type);
        this.cached.set(`${type} ${name}`, answer, ttlOf(packet));
        return answer;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    return failed(name, type, reason);
  }

  private async exchange(name: string, type: DnssecType): Promise<DecodedPacket> {
    const query = dnsPacket.encode({
      type: 'query',
      id: randomInt(65_536),
      flags: dnsPacket.RECURSION_DESIRED | dnsPacket.AUTHENTIC_DATA,
      questions: [{ name, type }],
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: UDP_BYTES,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: dnsPacket.DNSSEC_OK,
          flag_do: true,
          options: [],
        },
      ],
    });
    const server = parseServer(this.server);
    const packet = await exchangeUdp(server, query, this.timeoutMs);
    return packet.flag_tc ? exchangeTcp(server, query, this.timeoutMs) : packet;
  }
}

const RCODES: Readonly<Record<number, string>> = { 1: 'FORMERR', 2: 'SERVFAIL', 4: 'NOTIMP', 5: 'REFUSED' };

function failed(name: string, type: DnssecType, reason: string): DnssecAnswer {
  return { kind: 'failed', reason: `${type} question for ${name}: ${reason}` };
}

function readAnswer(packet: DecodedPacket, name: string, type: DnssecType): DnssecAnswer {
  const answers = packet.answers ?? [];
  const alias = followAliases(answers, canonicalName(name));
  const found = answers.filter((answer) => answer.type === type && canonicalName(answer.name) === alias);
  return {
    kind: 'answer',
    secure: packet.flag_ad,
    values: found.flatMap(valueOf),
    tlsa: found.flatMap(tlsaOf),
    alias: alias === canonicalName(name) ? null : alias,
  };
}

function followAliases(answers: readonly Answer[], name: string): string {
  let at = name;
  for (let hops = 0; hops < answers.length; hops += 1) {
    const next = answers.find((answer) => answer.type === 'CNAME' && canonicalName(answer.name) === at);
    if (next?.type !== 'CNAME') break;
    at = canonicalName(next.data);
  }
  return at;
}

function valueOf(answer: Answer): string[] {
  if (answer.type === 'MX') return [canonicalName(answer.data.exchange)];
  return answer.type === 'A' || answer.type === 'AAAA' ? [answer.data] : [];
}

function tlsaOf(answer: Answer): TlsaRecord[] {
  if (answer.type !== 'TLSA') return [];
  const { usage, selector, matchingType, certificate } = answer.data;
  return [{ usage, selector, matchingType, data: certificate }];
}

/** Milliseconds: the shortest TTL in the answer; of absence that of the zone's SOA (RFC 2308 §5). */
function ttlOf({ answers = [], authorities = [] }: DecodedPacket): number {
  const absent = answers.length === 0;
  const seconds = (absent ? authorities : answers).flatMap((record) =>
    'ttl' in record && record.ttl !== undefined ? [record.ttl] : [],
  );
  const most = absent ? MAX_ABSENCE_MS : MAX_CACHE_MS;
  return Math.min(most, Math.max(MIN_CACHE_MS, Math.min(...seconds, most / 1000) * 1000));
}
