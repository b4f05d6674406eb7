import dgram from 'node:dgram';
import net from 'node:net';
import dnsPacket from 'dns-packet';
import type { Answer, Packet, Question, TlsaData } from 'dns-packet';

/** What the server knows of one name. A name without an entry does not exist (NXDOMAIN). */
export interface DnsName {
  MX?: { preference: number; exchange: string }[];
  A?: string[];
  AAAA?: string[];
  /** One string per record; longer than 255 bytes is split. */
  TXT?: string[];
  /** Addresses that take turns: each question gets the next ones. */
  rotating?: string[][];
  CNAME?: string;
  NS?: string[];
  /** Of a name below in-addr.arpa or ip6.arpa. */
  PTR?: string[];
  TLSA?: TlsaData[];
  /** Answers carry the AD bit, as if somebody had checked signatures. */
  isProved?: boolean;
  /** Seconds, for all records of the name; 60 unless told. */
  ttl?: number;
  /** Instead of an answer: a response code, nothing at all, or bytes that are no DNS message. */
  fault?: 'SERVFAIL' | 'REFUSED' | 'NXDOMAIN' | 'silent' | 'malformed';
  /** Milliseconds that the next answers over UDP take, one each; later ones come at once. */
  delays?: number[];
}

export interface DnsQuestion {
  name: string;
  type: string;
  over: 'udp' | 'tcp';
}

/** RFC 1035 response codes that `dns-packet` takes in the low bits of `flags`. */
const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const UDP_BYTES = 512;
const MAX_CNAMES = 8;

/** A small authoritative server on 127.0.0.1, UDP and TCP on one port that the system chose. */
export class LocalDns {
  /** Every question asked, in order. */
  readonly questions: DnsQuestion[] = [];
  /** Nothing is answered, whatever the name is. */
  isAway = false;
  /** An address that is answered for every name without an entry, as resolvers do that earn money by typing errors. */
  lie: string | null = null;
  /** Called before the server closes. */
  onClose: (() => Promise<void>) | undefined;
  readonly #zone = new Map<string, DnsName>();
  readonly #sockets = new Set<net.Socket>();
  readonly #late = new Set<NodeJS.Timeout>();

  private constructor(
    private readonly udp: dgram.Socket,
    private readonly tcp: net.Server,
    readonly port: number,
  ) {
    udp.on('message', (message, peer) => this.#onUdp(message, peer));
    tcp.on('connection', (socket) => this.#onTcp(socket));
  }

  static async start(zone: Record<string, DnsName> = {}): Promise<LocalDns> {
    for (let attempt = 0; ; attempt += 1) {
      const tcp = net.createServer();
      const port = await listenTcp(tcp);
      const udp = dgram.createSocket('udp4');
      if (await bindUdp(udp, port)) {
        const server = new LocalDns(udp, tcp, port);
        for (const [name, records] of Object.entries(zone)) server.set(name, records);
        return server;
      }
      tcp.close();
      if (attempt === 20) throw new Error('no port is free for both UDP and TCP');
    }
  }

  /** For `DNS_SERVERS` and `setServers`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  set(name: string, records: DnsName): void {
    this.#zone.set(name.toLowerCase(), records);
  }

  remove(name: string): void {
    this.#zone.delete(name.toLowerCase());
  }

  async close(): Promise<void> {
    await this.onClose?.();
    for (const socket of this.#sockets) socket.destroy();
    for (const timer of this.#late) clearTimeout(timer);
    await Promise.all([
      new Promise<void>((resolve) => this.udp.close(() => resolve())),
      new Promise<void>((resolve) => this.tcp.close(() => resolve())),
    ]);
  }

  #onUdp(message: Buffer, peer: dgram.RemoteInfo): void {
    const answer = this.#answer(message, 'udp');
    if (answer === null) return;
    const delay = this.#zone.get(this.questions.at(-1)?.name ?? '')?.delays?.shift() ?? 0;
    if (delay === 0) this.udp.send(answer, peer.port, peer.address);
    else this.#late.add(setTimeout(() => this.udp.send(answer, peer.port, peer.address), delay));
  }

  #onTcp(socket: net.Socket): void {
    let pending: Buffer = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const length = pending.readUInt16BE(0);
        const answer = this.#answer(pending.subarray(2, 2 + length), 'tcp');
        pending = pending.subarray(2 + length);
        if (answer === null) continue;
        const prefix = Buffer.alloc(2);
        prefix.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([prefix, answer]));
      }
    });
  }

  #answer(message: Buffer, over: 'udp' | 'tcp'): Buffer | null {
    const query = dnsPacket.decode(message);
    const question = query.questions?.[0];
    if (question === undefined) return null;
    this.questions.push({ name: question.name.toLowerCase(), type: question.type, over });
    const fault = this.#zone.get(question.name.toLowerCase())?.fault;
    if (fault === 'silent' || this.isAway) return null;
    if (fault === 'malformed')
      return Buffer.concat([message.subarray(0, 2), Buffer.from([0x81, 0x80, 0xff, 0xff, 0xff])]);
    const reply = this.#reply(query.id, question, fault);
    const bytes = dnsPacket.encode(reply);
    if (over === 'tcp' || bytes.length <= UDP_BYTES) return bytes;
    const truncated = (reply.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE;
    return dnsPacket.encode({ ...reply, flags: truncated, answers: [], authorities: [] });
  }

  #reply(id: number | undefined, question: Question, fault?: keyof typeof RCODES): Packet {
    const { answers, exists } = this.#lookUp(question);
    const code = fault ?? (exists ? 'NOERROR' : 'NXDOMAIN');
    return {
      type: 'response',
      id,
      flags:
        dnsPacket.AUTHORITATIVE_ANSWER |
        dnsPacket.RECURSION_DESIRED |
        dnsPacket.RECURSION_AVAILABLE |
        (this.#zone.get(question.name.toLowerCase())?.isProved === true ? dnsPacket.AUTHENTIC_DATA : 0) |
        RCODES[code],
      questions: [question],
      answers: fault === undefined ? answers : [],
      authorities: answers.length === 0 ? [startOfAuthority(question.name)] : [],
    };
  }

  /** Follows CNAMEs as a recursive server does; a loop answers with the aliases alone. */
  #lookUp(question: Question): { answers: Answer[]; exists: boolean } {
    const answers: Answer[] = [];
    let name = question.name.toLowerCase();
    for (let hops = 0; hops < MAX_CNAMES; hops += 1) {
      const records = this.#zone.get(name);
      if (records === undefined && this.lie !== null && question.type === 'A')
        return { answers: [...answers, { type: 'A', name, ttl: 60, data: this.lie }], exists: true };
      if (records === undefined) return { answers, exists: answers.length > 0 };
      if (records.CNAME === undefined || question.type === 'CNAME') {
        return { answers: [...answers, ...recordsOf(name, records, question.type)], exists: true };
      }
      answers.push({ type: 'CNAME', name, ttl: records.ttl ?? 60, data: records.CNAME });
      name = records.CNAME.toLowerCase();
    }
    return { answers, exists: true };
  }
}

/** Publishes the records of a domain, as its owner does. */
export function publish(dns: LocalDns, records: readonly { type: string; name: string; value: string }[]): void {
  for (const { type, name, value } of records) dns.set(name, type === 'TXT' ? { TXT: [value] } : { CNAME: value });
}

function recordsOf(name: string, records: DnsName, type: string): Answer[] {
  const ttl = records.ttl ?? 60;
  switch (type) {
    case 'MX':
      return (records.MX ?? []).map((data) => ({ type: 'MX', name, ttl, data }));
    case 'TXT':
      return (records.TXT ?? []).map((text) => ({ type: 'TXT', name, ttl, data: pieces(text) }));
    case 'TLSA':
      return (records.TLSA ?? []).map((data) => ({ type: 'TLSA', name, ttl, data }));
    default:
      return isOfWords(type) ? wordsOf(records, type).map((data) => ({ type, name, ttl, data })) : [];
  }
}

/** Every answer is another one: the first of the list goes to its end. */
function ipv4Of({ rotating, A = [] }: DnsName): string[] {
  const next = rotating?.shift();
  if (next === undefined) return A;
  rotating?.push(next);
  return next;
}

/** The types of records that are one address or name each. */
const OF_WORDS = ['A', 'AAAA', 'NS', 'PTR', 'CNAME'] as const;
type OfWords = (typeof OF_WORDS)[number];
const isOfWords = (type: string): type is OfWords => OF_WORDS.some((known) => known === type);

function wordsOf(records: DnsName, type: OfWords): string[] {
  return type === 'A' ? ipv4Of(records) : [records[type] ?? []].flat();
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,255}/g) ?? [''];
}

function startOfAuthority(name: string): Answer {
  const data = {
    mname: 'ns.test',
    rname: 'hostmaster.test',
    serial: 1,
    refresh: 60,
    retry: 60,
    expire: 60,
    minimum: 1,
  };
  return { type: 'SOA', name, ttl: 1, data };
}

function listenTcp(server: net.Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function bindUdp(socket: dgram.Socket, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind(port, '127.0.0.1', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => undefined);
      resolve(true);
    });
  });
}
