import { randomInt } from 'node:crypto';
import dnsPacket from 'dns-packet';
import type { Answer, DecodedPacket } from 'dns-packet';
import { exchangeTcp, exchangeUdp } from './dns-exchange.js';
import type { DnsPlace } from './dns-exchange.js';
import type { TlsaRecord } from './tlsa.js';

export type AskThrough = <T>(question: () => Promise<T>) => Promise<T>;

export type DnssecType = 'MX' | 'A' | 'AAAA' | 'TLSA' | 'SOA';

export type DnssecAnswer =
  | {
      kind: 'answer';
      /** The resolver says that it checked the signatures, those of absence too (the AD bit). */
      secure: boolean;
      /** MX hosts (lower case, without the final dot) or addresses. */
      values: readonly string[];
      tlsa: readonly TlsaRecord[];
      /** Where aliases (CNAME) led to. */
      alias: string | null;
    }
  | { kind: 'failed'; reason: string };

/** Larger UDP answers get lost on the way (RFC 9715). */
const UDP_BYTES = 1232;
const TRIES = 2;
/** RFC 1035 §4.1.1 */
const NOERROR = 0;
const NXDOMAIN = 3;
/** One walk asks for some names twice, whatever their TTL says. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;
const LONGEST_ABSENCE_MS = 300_000;
const MAX_CACHED = 20_000;

/**
 * Asks one resolver with the DO and AD bits (RFC 6840 §5.7) and believes its AD bit: the caller vouches for the resolver
 * and for the way to it. Answers are kept for their TTL, failures are not.
 */
export class DnssecClient {
  readonly #kept = new Map<string, { answer: DnssecAnswer; until: number }>();
  readonly #asking = new Map<string, Promise<DnssecAnswer>>();

  constructor(
    private readonly place: DnsPlace,
    private readonly timeoutMs: number,
    private readonly through: AskThrough = (question) => question(),
  ) {}

  /** Never rejects. Equal questions asked at once are one. */
  ask(name: string, type: DnssecType): Promise<DnssecAnswer> {
    const key = `${type} ${name}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > performance.now()) return Promise.resolve(kept.answer);
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#askAnew(name, type).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #askAnew(name: string, type: DnssecType): Promise<DnssecAnswer> {
    let reason = '';
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        const packet = await this.through(() => this.#exchange(name, type));
        const code = (packet.flags ?? 0) & 0xf;
        if (code !== NOERROR && code !== NXDOMAIN) return failed(name, type, RCODES[code] ?? `code ${code}`);
        const answer = readAnswer(packet, name, type);
        this.#keep(`${type} ${name}`, answer, lifetimeOf(packet));
        return answer;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    return failed(name, type, reason);
  }

  async #exchange(name: string, type: DnssecType): Promise<DecodedPacket> {
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
    const packet = await exchangeUdp(this.place, query, this.timeoutMs);
    return packet.flag_tc ? exchangeTcp(this.place, query, this.timeoutMs) : packet;
  }

  #keep(key: string, answer: DnssecAnswer, keepMs: number): void {
    this.#kept.delete(key);
    if (this.#kept.size >= MAX_CACHED)
      for (const oldest of [...this.#kept.keys()].slice(0, 200)) this.#kept.delete(oldest);
    this.#kept.set(key, { answer, until: performance.now() + keepMs });
  }
}

const RCODES: Readonly<Record<number, string>> = { 1: 'FORMERR', 2: 'SERVFAIL', 4: 'NOTIMP', 5: 'REFUSED' };

function failed(name: string, type: DnssecType, reason: string): DnssecAnswer {
  return { kind: 'failed', reason: `${type} question for ${name}: ${reason}` };
}

function readAnswer(packet: DecodedPacket, name: string, type: DnssecType): DnssecAnswer {
  const answers = packet.answers ?? [];
  const alias = followAliases(answers, bareName(name));
  const found = answers.filter((answer) => answer.type === type && bareName(answer.name) === alias);
  return {
    kind: 'answer',
    secure: packet.flag_ad,
    values: found.flatMap(valueOf),
    tlsa: found.flatMap(tlsaOf),
    alias: alias === bareName(name) ? null : alias,
  };
}

function followAliases(answers: readonly Answer[], name: string): string {
  let at = name;
  for (let hops = 0; hops < answers.length; hops += 1) {
    const next = answers.find((answer) => answer.type === 'CNAME' && bareName(answer.name) === at);
    if (next?.type !== 'CNAME') break;
    at = bareName(next.data);
  }
  return at;
}

function valueOf(answer: Answer): string[] {
  if (answer.type === 'MX') return [bareName(answer.data.exchange)];
  return answer.type === 'A' || answer.type === 'AAAA' ? [answer.data] : [];
}

function tlsaOf(answer: Answer): TlsaRecord[] {
  if (answer.type !== 'TLSA') return [];
  const { usage, selector, matchingType, certificate } = answer.data;
  return [{ usage, selector, matchingType, data: certificate }];
}

/** The shortest TTL in the answer; of absence that of the zone's SOA (RFC 2308 §5). Milliseconds. */
function lifetimeOf({ answers = [], authorities = [] }: DecodedPacket): number {
  const absent = answers.length === 0;
  const seconds = (absent ? authorities : answers).flatMap((record) =>
    'ttl' in record && record.ttl !== undefined ? [record.ttl] : [],
  );
  const most = absent ? LONGEST_ABSENCE_MS : LONGEST_MS;
  return Math.min(most, Math.max(SHORTEST_MS, Math.min(...seconds, most / 1000) * 1000));
}

function bareName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
