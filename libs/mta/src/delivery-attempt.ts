import type { ConnectionPool, PoolAttempt } from './smtp/connection-pool.js';
import type { CourierTimeouts, Delivery, Envelope, OutgoingMessage } from './courier.js';
import { NO_REMOTE } from './delivery-outcome.js';
import type { BounceClass, Remote } from './delivery-outcome.js';
import { toWireAddress } from './smtp/wire-address.js';
import type { WireAddress } from './smtp/wire-address.js';
import { MessageEncodings } from './smtp/message-encodings.js';
import type { MessageEncoding } from './smtp/message-encodings.js';
import type { Route, Router } from './routing/route.js';
import { OutcomeCollector } from './outcome-collector.js';
import type { LocalDecision } from './outcome-collector.js';
import type { SmtpConnection } from './smtp/connection.js';
import { CourierClosing, HostBusy, SmtpFailure } from './smtp/failure.js';
import { SmtpTransaction } from './smtp/transaction.js';
import type { TransactionReport } from './smtp/transaction.js';
import { withVerifiedTls, withSource, withoutTls, allowsPlaintext, withOptionalTls } from './routing/mx-endpoint.js';
import type { MxEndpoint } from './routing/mx-endpoint.js';
import type { TlsResult } from './tls/tls-result.js';
import { tlsFacts } from './tls/tls-session.js';
import { recipientResult } from './smtp/recipient-result.js';

export interface AttemptServices {
  router: Router;
  pool: ConnectionPool;
  limits: CourierTimeouts;
  /** Refusals that concern our own login do not bounce messages. */
  smarthost: boolean;
  isClosing: () => boolean;
  log: (event: object) => void;
}

interface PendingRecipient {
  key: string;
  wire: WireAddress;
  /**
   * Hosts that were skipped because they lack an extension that the message needs. If all do, the last one gives the
   * outcome.
   */
  skippedHosts: { decision: LocalDecision; remote: Remote }[];
}

interface Offer {
  to: PendingRecipient[];
  report: TransactionReport;
}

/** Number of addresses whose time-outs one attempt accepts. The others remain for the next attempt. */
const MAX_TIMEOUTS = 2;

/**
 * One attempt for one message: hosts in order, transactions until every recipient has an outcome. A connection lost
 * before the final dot leads to the next host at once; a refusal or an unknown outcome does not.
 */
export class DeliveryAttempt {
  private readonly outcomes: OutcomeCollector;
  private pending: PendingRecipient[] = [];
  private from: WireAddress | null = null;
  private readonly encodings: MessageEncodings;
  private deadlineAt: number;
  private timeouts = 0;
  private failure: SmtpFailure | null = null;
  private busy: HostBusy | null = null;

  private readonly tlsResults: TlsResult[] = [];

  constructor(
    private readonly route: Route,
    private readonly envelope: Envelope,
    private readonly message: OutgoingMessage,
    private readonly services: AttemptServices,
  ) {
    this.outcomes = new OutcomeCollector(services.smarthost);
    this.encodings = new MessageEncodings(message);
    this.deadlineAt = performance.now() + services.limits.total;
  }

  /** Never rejects. */
  async run(): Promise<Delivery> {
    try {
      await this.deliver();
    } catch (error) {
      if (!(error instanceof CourierClosing)) this.onUnexpectedError(error);
    }
    const left = this.pending.map(({ key }) => key);
    if (this.services.isClosing() || this.failure === null) this.outcomes.abandon(left, this.busy?.host);
    else this.outcomes.fail(left, this.failure);
    return { outcomes: this.outcomes.collect(this.envelope.recipients), tlsResults: this.tlsResults };
  }

  private async deliver(): Promise<void> {
    this.prepareRecipients();
    if (this.pending.length === 0) return;
    // Remaining recipients have no outcome, because nothing was attempted.
    const { route } = this;
    if (this.services.isClosing() || route.kind === 'dns_unavailable') return;
    if (route.kind !== 'endpoints') {
      this.tlsResults.push(...(route.tlsResults ?? []));
      this.outcomes.decide(
        this.takePending(),
        { ...route, phase: 'dns' },
        { ...NO_REMOTE, policy: route.policy ?? null },
      );
      return;
    }
    const { source, tls } = this.envelope;
    const endpoints = route.endpoints.map(TLS_MODES[tls]).flatMap((endpoint) => withSource(endpoint, source) ?? []);
    if (endpoints.length === 0) {
      this.outcomes.decide(this.takePending(), noSuitableAddress(source?.address ?? ''));
      return;
    }
    await this.tryEndpoints(this.reachableFirst(endpoints));
    if (!this.services.isClosing()) this.bounceSkipped();
  }

  /** Tries every host with TLS where possible, before any of them in plain text because its TLS is broken. */
  private async tryEndpoints(endpoints: MxEndpoint[]): Promise<void> {
    const { pool } = this.services;
    const clear: MxEndpoint[] = [];
    for (const endpoint of endpoints) {
      const tried = pool.isTlsBroken(endpoint) ? 'tls_broken' : await this.tryEndpoint(endpoint);
      if (tried === 'tls_broken') clear.push(withoutTls(endpoint));
      if (this.isOver()) return;
      if (this.timeouts >= MAX_TIMEOUTS) break;
    }
    for (const endpoint of clear) {
      if (performance.now() < this.deadlineAt) await this.tryEndpoint(endpoint);
      if (this.isOver()) return;
    }
  }

  private get poolAttempt(): PoolAttempt {
    return { deadlineAt: this.deadlineAt, tlsResults: this.tlsResults };
  }

  private isOver(): boolean {
    return this.pending.length === 0 || this.services.isClosing();
  }

  /** Bounces addresses that can never be sent over SMTP. The others wait for their server. */
  private prepareRecipients(): void {
    const from = this.envelope.mailFrom === '' ? NULL_SENDER : toWireAddress(this.envelope.mailFrom);
    this.from = from;
    for (const { key, address } of this.envelope.recipients) {
      const wire = toWireAddress(address);
      if (from === null)
        this.outcomes.decide([key], localBounce('content', '5.1.7', 'the sender address is not valid in SMTP'));
      else if (wire === null)
        this.outcomes.decide([key], localBounce('invalid_recipient', '5.1.3', 'not a valid address in SMTP'));
      else this.pending.push({ key, wire, skippedHosts: [] });
    }
  }

  /** Not if a host could not be tried: it may support what the others lack. */
  private bounceSkipped(): void {
    if (this.failure !== null || this.busy !== null) return;
    for (const { key, skippedHosts } of this.pending.splice(0)) {
      const last = skippedHosts.at(-1);
      if (last !== undefined) this.outcomes.decide([key], last.decision, last.remote);
    }
  }

  private reachableFirst(endpoints: MxEndpoint[]): MxEndpoint[] {
    if (endpoints.length < 2) return endpoints;
    const { pool } = this.services;
    const later = endpoints.filter((endpoint) => pool.isUnreachable(endpoint));
    return later.length === 0 ? endpoints : [...endpoints.filter((endpoint) => !later.includes(endpoint)), ...later];
  }

  private async tryEndpoint(endpoint: MxEndpoint): Promise<'over' | 'tls_broken'> {
    // Its other addresses are the same server.
    if (this.eligible(endpoint).length === 0) return 'over';
    let connection: SmtpConnection | null = null;
    try {
      connection = this.services.pool.take(endpoint) ?? (await this.connect(endpoint));
      connection.deadlineAt = this.deadlineAt;
      // Includes the time until MAIL, in which the content is produced.
      connection.arm('mail', this.services.limits.total);
      connection = await this.runTransactions(connection, endpoint);
      return 'over';
    } catch (error) {
      if (error instanceof SmtpFailure) return this.onFailure(error, endpoint);
      if (!(error instanceof HostBusy)) throw error;
      // Another host may have a free connection.
      this.busy = error;
      return 'over';
    } finally {
      if (connection !== null) this.services.pool.release(connection);
    }
  }

  private onFailure(failure: SmtpFailure, endpoint: MxEndpoint): 'over' | 'tls_broken' {
    const broken = failure.phase === 'tls' && !failure.answered && allowsPlaintext(endpoint);
    const source = failure.source ?? endpoint.source?.address ?? null;
    this.recordFailure(failure, { ...remoteOfEndpoint(endpoint), ...failure.line, source }, broken);
    return broken ? 'tls_broken' : 'over';
  }

  private async connect(endpoint: MxEndpoint): Promise<SmtpConnection> {
    const { pool } = this.services;
    const before = performance.now();
    const handed = await pool.slot(endpoint);
    const waited = performance.now() - before;
    // Waiting for a free connection does not count as time of the attempt.
    this.deadlineAt += waited;
    this.outcomes.addWaitingTime(waited);
    return handed ?? pool.open(endpoint, this.poolAttempt);
  }

  /**
   * Runs transactions on one host until no recipient is left, the connection is lost, or the claim is lost. Returns the
   * connection in use.
   */
  private async runTransactions(connection: SmtpConnection, endpoint: MxEndpoint): Promise<SmtpConnection> {
    let line = connection;
    let fresh = line.transactions === 0;
    while (this.pending.length > 0) {
      const offer = await this.runTransaction(line, endpoint);
      if (offer === null) return line;
      if (!fresh && isStale(offer.report)) {
        line = await this.services.pool.reopen(line, endpoint, this.poolAttempt);
        fresh = true;
        continue;
      }
      fresh = true;
      this.settle(offer, remoteOf(line, endpoint));
      if (line.failure !== null) return line;
    }
    return line;
  }

  /**
   * Null if no transaction was started: every recipient has an outcome or waits for another host, or the claim is lost.
   */
  private async runTransaction(line: SmtpConnection, endpoint: MxEndpoint): Promise<Offer | null> {
    if (!line.extensions.smtpUtf8) this.skipUtf8Addresses(line, endpoint);
    const to = this.eligible(endpoint);
    if (to.length === 0) return null;
    const encoding = await this.encodingFor(line);
    if (encoding === null) return { to, report: notStarted(line.failure) };
    if (encoding.kind === 'unavailable') {
      this.outcomes.decide(this.takePending(), CONTENT_UNAVAILABLE, remoteOf(line, endpoint));
      return null;
    }
    if (encoding.kind === 'impossible') {
      this.skip(to, unsupportedByServer(encoding.enhanced, encoding.text), remoteOf(line, endpoint));
      return null;
    }
    if (!this.fits(line, encoding.size, endpoint)) return null;
    const permit = this.message.permit();
    if (!(typeof permit === 'boolean' ? permit : await permit)) {
      this.outcomes.abandon(this.takePending());
      return null;
    }
    const { content } = encoding;
    const envelope = { from: this.mailParameters(line, encoding, to), to: to.map(({ wire }) => wire.text) };
    const transaction = new SmtpTransaction(line, envelope, { content, limits: this.services.limits });
    return new Promise((resolve) => transaction.start((report) => resolve({ to, report })));
  }

  /** Null if the connection failed first. Its time limit also bounds the production of the content. */
  private encodingFor(line: SmtpConnection): Promise<MessageEncoding | null> {
    if (line.failure !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      line.onFailure = () => resolve(null);
      void this.encodings.for(line.extensions).then(resolve);
    });
  }

  /** Decides the outcome of a message that exceeds the SIZE of the server, without offering it. */
  private fits(line: SmtpConnection, octets: number, endpoint: MxEndpoint): boolean {
    const { size } = line.extensions;
    if (size === null || size === 0 || octets <= size) return true;
    const text = `the mail has ${octets} octets, the server takes ${size}`;
    const decision = { ...unsupportedByServer('5.3.4', text), class: 'too_large' } as const;
    this.outcomes.decide(this.takePending(), decision, remoteOf(line, endpoint));
    return false;
  }

  private eligible({ host }: MxEndpoint): PendingRecipient[] {
    return this.pending.filter(({ skippedHosts }) => !skippedHosts.some(({ remote }) => remote.mx === host));
  }

  private skipUtf8Addresses(line: SmtpConnection, endpoint: MxEndpoint): void {
    const senderToo = this.from?.needsUtf8 === true;
    const unfit = this.eligible(endpoint).filter(({ wire }) => senderToo || wire.needsUtf8);
    const text = 'the server takes no internationalised addresses (SMTPUTF8)';
    if (unfit.length > 0) this.skip(unfit, unsupportedByServer('5.6.7', text), remoteOf(line, endpoint));
  }

  private skip(recipients: PendingRecipient[], decision: LocalDecision, remote: Remote): void {
    for (const { skippedHosts } of recipients) skippedHosts.push({ decision, remote });
    this.outcomes.addSkippedHost(
      recipients.map(({ key }) => key),
      decision,
      remote,
    );
  }

  private mailParameters(
    line: SmtpConnection,
    encoding: MessageEncoding & { kind: 'bytes' },
    to: PendingRecipient[],
  ): string {
    const { size, eightBitMime } = line.extensions;
    let from = `<${this.from?.text ?? ''}>`;
    if (size !== null) from += ` SIZE=${encoding.size}`;
    if (eightBitMime && encoding.eightBit) from += ' BODY=8BITMIME';
    const utf8 = encoding.header === 'utf8' || this.from?.needsUtf8 === true || to.some(({ wire }) => wire.needsUtf8);
    return utf8 ? `${from} SMTPUTF8` : from;
  }

  private settle({ to, report }: Offer, remote: Remote): void {
    const settled = new Set<PendingRecipient>();
    for (const [i, recipient] of to.entries()) {
      const result = recipientResult(report, i);
      const retry = result.kind === 'again' || (result.kind === 'broken' && result.certainty === 'not_sent');
      if (retry) continue;
      this.outcomes.settle(recipient.key, result, remote);
      settled.add(recipient);
    }
    this.pending = this.pending.filter((recipient) => !settled.has(recipient));
    if (report.failure !== null) this.recordFailure(report.failure, remote);
  }

  /** A failed TLS handshake does not count as a time-out, because the same address is tried in plain text. */
  private recordFailure(failure: SmtpFailure, remote: Remote, tlsBroken = false): void {
    this.failure = failure;
    this.outcomes.addFailure(failure, remote);
    if (failure.timedOut && !tlsBroken) this.timeouts += 1;
    if (performance.now() >= this.deadlineAt) this.timeouts = MAX_TIMEOUTS;
  }

  /** An unexpected error: logged once, and temporary for the message. */
  private onUnexpectedError(error: unknown): void {
    this.services.log({ event: 'courier.unexpected_error', id: this.message.id, error: String(error) });
    const text = 'the attempt broke off for a reason of ours';
    this.failure = new SmtpFailure({ phase: 'connect', reply: { code: null, enhanced: '4.3.0', text } });
  }

  private takePending(): string[] {
    const keys = this.pending.map(({ key }) => key);
    this.pending = [];
    return keys;
  }
}

/** The requirement of the sender, in addition to the policy of the receiver. */
const TLS_MODES: Record<Envelope['tls'], (endpoint: MxEndpoint) => MxEndpoint> = {
  opportunistic: (endpoint) => endpoint,
  enforced: withVerifiedTls,
  unconditional: withOptionalTls,
};

const NULL_SENDER: WireAddress = { text: '', domain: '', needsUtf8: false };

function localBounce(found: BounceClass, enhanced: string, text: string): LocalDecision {
  return { kind: 'bounced', class: found, phase: 'mail', reply: { code: null, enhanced, text } };
}

/** The host is that of this message. The connection may have been opened for another name of the same address. */
function remoteOf(line: SmtpConnection, endpoint: MxEndpoint): Remote {
  const facts = tlsFacts(line.tlsSession);
  // TLSA records of the name take precedence over the authorities.
  const verified = endpoint.requirement.kind === 'tlsa' ? true : facts.verified && line.endpoint.host === endpoint.host;
  return { ...remoteOfEndpoint(endpoint), ...facts, verified, source: line.localAddress };
}

function remoteOfEndpoint({ host, address, policy, provider }: MxEndpoint): Remote {
  return { ...NO_REMOTE, mx: host, ip: address, policy: policy.name, provider };
}

/** The operator must add an address, so it is not a bounce. */
function noSuitableAddress(source: string): LocalDecision {
  const text = `no address of the servers can be spoken to from ${source}`;
  return { kind: 'deferred', class: 'routing', phase: 'dns', reply: { code: null, enhanced: '4.4.4', text } };
}

/** The EHLO reply of the server lacks a required extension. */
function unsupportedByServer(enhanced: string, text: string): LocalDecision {
  return { ...localBounce('content', enhanced, text), phase: 'ehlo' };
}

const CONTENT_UNAVAILABLE: LocalDecision = {
  kind: 'deferred',
  class: 'deferral',
  phase: 'mail',
  reply: { code: null, enhanced: '4.3.0', text: 'the content of the mail could not be produced' },
};

function notStarted(failure: SmtpFailure | null): TransactionReport {
  return { mail: null, rcpt: [], final: null, failure, dotWritten: false, outOfStep: false };
}

/** An idle connection that ended before the reply to MAIL says nothing about the message. */
function isStale(report: TransactionReport): boolean {
  return report.failure !== null && report.mail === null && !report.failure.timedOut;
}
