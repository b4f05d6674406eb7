import type { ConnectionPool } from './connection-pool.js';
import type { CourierJob, CourierTimeouts } from './courier.js';
import { NO_REMOTE } from './delivery-outcome.js';
import type { BounceClass, Outcome, Remote } from './delivery-outcome.js';
import { toWireAddress } from './envelope.js';
import type { WireAddress } from './envelope.js';
import { MailForms } from './mail-forms.js';
import type { MailForm } from './mail-forms.js';
import type { Router } from './mx-route.js';
import { OutcomeSheet } from './outcome-sheet.js';
import type { OwnDecision } from './outcome-sheet.js';
import type { SmtpConnection } from './smtp-connection.js';
import { CourierClosing, HostBusy, SmtpFailure } from './smtp-failure.js';
import { SmtpTransaction } from './smtp-transaction.js';
import type { TransactionReport } from './smtp-transaction.js';
import { enforced, fromSource, inTheClear, mayGoInTheClear, unconditional } from './target.js';
import type { Target } from './target.js';
import { lineFacts } from './tls-policy/secured-line.js';
import { recipientVerdict } from './transaction-verdict.js';

export interface AttemptServices {
  router: Router;
  pool: ConnectionPool;
  limits: CourierTimeouts;
  /** Refusals that concern our own login are no bounces. */
  smarthost: boolean;
  isClosing: () => boolean;
  log: (event: object) => void;
}

interface Addressee {
  key: string;
  wire: WireAddress;
  /** Hosts that were not offered him, since they lack what his mail needs; the last one's is his outcome if all do. */
  passedOver: { decision: OwnDecision; remote: Remote }[];
}

interface Offer {
  to: Addressee[];
  report: TransactionReport;
}

/** How many addresses may be waited for in vain in one attempt; the others keep their turn for the next one. */
const MAX_TIMEOUTS = 2;

/**
 * One attempt for one mail: route, hosts in order, transactions until every recipient has an outcome. A broken line
 * before the final dot leads to the next host at once, a refusal or an unknown outcome does not.
 */
export class DeliveryAttempt {
  readonly #sheet: OutcomeSheet;
  #pending: Addressee[] = [];
  #from: WireAddress | null = null;
  readonly #forms: MailForms;
  #deadlineAt: number;
  #timeouts = 0;
  #failure: SmtpFailure | null = null;
  #busy: HostBusy | null = null;

  constructor(
    private readonly job: CourierJob,
    private readonly services: AttemptServices,
  ) {
    this.#sheet = new OutcomeSheet(services.smarthost);
    this.#forms = new MailForms(job);
    this.#deadlineAt = performance.now() + services.limits.total;
  }

  /** Never rejects. */
  async run(): Promise<Outcome[]> {
    try {
      await this.#deliver();
    } catch (error) {
      if (!(error instanceof CourierClosing)) this.#giveUp(error);
    }
    const left = this.#pending.map(({ key }) => key);
    if (this.services.isClosing() || this.#failure === null) this.#sheet.abandon(left, this.#busy?.host);
    else this.#sheet.fail(left, this.#failure);
    return this.#sheet.outcomes(this.job.recipients);
  }

  async #deliver(): Promise<void> {
    this.#address();
    if (this.#pending.length === 0) return;
    const route = await this.services.router.route(this.#pending[0].wire.domain);
    // Whoever is left over has no outcome: nothing was attempted.
    if (this.services.isClosing() || route.kind === 'no_dns') return;
    if (route.kind !== 'targets') {
      this.#sheet.own(this.#takeAll(), { ...route, phase: 'dns' }, { ...NO_REMOTE, policy: route.policy ?? null });
      return;
    }
    const { source } = this.job;
    const targets = route.targets.map(WISHES[this.job.tls]).flatMap((target) => fromSource(target, source) ?? []);
    if (targets.length === 0) {
      this.#sheet.own(this.#takeAll(), otherFamily(source?.address ?? ''));
      return;
    }
    await this.#tryInTurn(this.#preferReachable(targets));
    if (!this.services.isClosing()) this.#refusePassedOver();
  }

  /** Every host with TLS where it can, before any of them in the clear because its TLS is broken. */
  async #tryInTurn(targets: Target[]): Promise<void> {
    const { pool } = this.services;
    const clear: Target[] = [];
    for (const target of targets) {
      const tried = pool.isTlsBroken(target) ? 'tls_broken' : await this.#visit(target);
      if (tried === 'tls_broken') clear.push(inTheClear(target));
      if (this.#isOver()) return;
      if (this.#timeouts >= MAX_TIMEOUTS) break;
    }
    for (const target of clear) {
      if (performance.now() < this.#deadlineAt) await this.#visit(target);
      if (this.#isOver()) return;
    }
  }

  #isOver(): boolean {
    return this.#pending.length === 0 || this.services.isClosing();
  }

  /** Refuses what can never be put on the wire; the rest waits for its server. */
  #address(): void {
    const from = this.job.mailFrom === '' ? NULL_SENDER : toWireAddress(this.job.mailFrom);
    this.#from = from;
    for (const { key, address } of this.job.recipients) {
      const wire = toWireAddress(address);
      if (from === null)
        this.#sheet.own([key], ownBounce('content', '5.1.7', 'the sender address is not valid in SMTP'));
      else if (wire === null)
        this.#sheet.own([key], ownBounce('invalid_recipient', '5.1.3', 'not a valid address in SMTP'));
      else this.#pending.push({ key, wire, passedOver: [] });
    }
  }

  /** A host that could not be asked may take what the others cannot. */
  #refusePassedOver(): void {
    if (this.#failure !== null || this.#busy !== null) return;
    for (const { key, passedOver } of this.#pending.splice(0)) {
      const last = passedOver.at(-1);
      if (last !== undefined) this.#sheet.own([key], last.decision, last.remote);
    }
  }

  #preferReachable(targets: Target[]): Target[] {
    if (targets.length < 2) return targets;
    const { pool } = this.services;
    const later = targets.filter((target) => pool.isUnreachable(target));
    return later.length === 0 ? targets : [...targets.filter((target) => !later.includes(target)), ...later];
  }

  async #visit(target: Target): Promise<'over' | 'tls_broken'> {
    // Its other addresses are the same server.
    if (this.#eligible(target).length === 0) return 'over';
    let connection: SmtpConnection | null = null;
    try {
      connection = this.services.pool.take(target) ?? (await this.#connect(target));
      connection.deadlineAt = this.#deadlineAt;
      // Covers the time until MAIL, in which the content is fetched.
      connection.arm('mail', this.services.limits.total);
      connection = await this.#converse(connection, target);
      return 'over';
    } catch (error) {
      if (error instanceof SmtpFailure) return this.#brokeOff(error, target);
      if (!(error instanceof HostBusy)) throw error;
      // Others may be free.
      this.#busy = error;
      return 'over';
    } finally {
      if (connection !== null) this.services.pool.giveBack(connection);
    }
  }

  #brokeOff(failure: SmtpFailure, target: Target): 'over' | 'tls_broken' {
    const broken = failure.phase === 'tls' && !failure.answered && mayGoInTheClear(target);
    const source = failure.source ?? target.source?.address ?? null;
    this.#note(failure, { ...remoteAt(target), ...failure.line, source }, broken);
    return broken ? 'tls_broken' : 'over';
  }

  async #connect(target: Target): Promise<SmtpConnection> {
    const { pool } = this.services;
    const before = performance.now();
    const handed = await pool.slot(target);
    const waited = performance.now() - before;
    // The attempt's time runs while somebody works on it, not while it stands in the queue.
    this.#deadlineAt += waited;
    this.#sheet.startLater(waited);
    return handed ?? pool.open(target, this.#deadlineAt);
  }

  /** Transactions on one host until nobody is left, the line breaks, or the claim is lost. Returns the line in use. */
  async #converse(connection: SmtpConnection, target: Target): Promise<SmtpConnection> {
    let line = connection;
    let fresh = line.mails === 0;
    while (this.#pending.length > 0) {
      const offer = await this.#transact(line, target);
      if (offer === null) return line;
      if (!fresh && isStale(offer.report)) {
        line = await this.services.pool.reopen(line, target, this.#deadlineAt);
        fresh = true;
        continue;
      }
      fresh = true;
      this.#settle(offer, remoteOf(line, target));
      if (line.failure !== null) return line;
    }
    return line;
  }

  /** Null when no transaction was begun: everybody is settled or waits for another host, or the claim is lost. */
  async #transact(line: SmtpConnection, target: Target): Promise<Offer | null> {
    if (!line.extensions.smtpUtf8) this.#passOverAddresses(line, target);
    const to = this.#eligible(target);
    if (to.length === 0) return null;
    const form = await this.#formFor(line);
    if (form === null) return { to, report: notBegun(line.failure) };
    if (form.kind === 'unavailable') {
      this.#sheet.own(this.#takeAll(), NO_CONTENT, remoteOf(line, target));
      return null;
    }
    if (form.kind === 'impossible') {
      this.#passOver(to, beforeOffer(form.enhanced, form.text), remoteOf(line, target));
      return null;
    }
    if (!this.#fits(line, form.size, target)) return null;
    const mayStart = this.job.mayStart();
    if (!(typeof mayStart === 'boolean' ? mayStart : await mayStart)) {
      this.#sheet.abandon(this.#takeAll());
      return null;
    }
    const { content } = form;
    const envelope = { from: this.#mailFrom(line, form, to), to: to.map(({ wire }) => wire.text) };
    const transaction = new SmtpTransaction(line, envelope, { content, limits: this.services.limits });
    return new Promise((resolve) => transaction.start((report) => resolve({ to, report })));
  }

  /** Null when the line broke first, which also bounds a content that never comes. */
  #formFor(line: SmtpConnection): Promise<MailForm | null> {
    if (line.failure !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      line.onFailure = () => resolve(null);
      void this.#forms.for(line.extensions).then(resolve);
    });
  }

  /** Settles what is too large for this server, without asking it. */
  #fits(line: SmtpConnection, octets: number, target: Target): boolean {
    const { size } = line.extensions;
    if (size === null || size === 0 || octets <= size) return true;
    const text = `the mail has ${octets} octets, the server takes ${size}`;
    const decision = { ...beforeOffer('5.3.4', text), class: 'too_large' } as const;
    this.#sheet.own(this.#takeAll(), decision, remoteOf(line, target));
    return false;
  }

  #eligible({ host }: Target): Addressee[] {
    return this.#pending.filter(({ passedOver }) => !passedOver.some(({ remote }) => remote.mx === host));
  }

  #passOverAddresses(line: SmtpConnection, target: Target): void {
    const senderToo = this.#from?.needsUtf8 === true;
    const unfit = this.#eligible(target).filter(({ wire }) => senderToo || wire.needsUtf8);
    const text = 'the server takes no internationalised addresses (SMTPUTF8)';
    if (unfit.length > 0) this.#passOver(unfit, beforeOffer('5.6.7', text), remoteOf(line, target));
  }

  #passOver(addressees: Addressee[], decision: OwnDecision, remote: Remote): void {
    for (const { passedOver } of addressees) passedOver.push({ decision, remote });
    this.#sheet.passedOver(
      addressees.map(({ key }) => key),
      decision,
      remote,
    );
  }

  #mailFrom(line: SmtpConnection, form: MailForm & { kind: 'bytes' }, to: Addressee[]): string {
    const { size, eightBitMime } = line.extensions;
    let from = `<${this.#from?.text ?? ''}>`;
    if (size !== null) from += ` SIZE=${form.size}`;
    if (eightBitMime && form.eightBit) from += ' BODY=8BITMIME';
    const utf8 = form.header === 'utf8' || this.#from?.needsUtf8 === true || to.some(({ wire }) => wire.needsUtf8);
    return utf8 ? `${from} SMTPUTF8` : from;
  }

  #settle({ to, report }: Offer, remote: Remote): void {
    const settled = new Set<Addressee>();
    for (const [i, addressee] of to.entries()) {
      const verdict = recipientVerdict(report, i);
      const retry = verdict.kind === 'again' || (verdict.kind === 'broken' && verdict.certainty === 'not_sent');
      if (retry) continue;
      this.#sheet.settle(addressee.key, verdict, remote);
      settled.add(addressee);
    }
    this.#pending = this.#pending.filter((addressee) => !settled.has(addressee));
    if (report.failure !== null) this.#note(report.failure, remote);
  }

  /** A handshake that hangs is no address waited for in vain: the same one answers in the clear. */
  #note(failure: SmtpFailure, remote: Remote, tlsBroken = false): void {
    this.#failure = failure;
    this.#sheet.brokeOff(failure, remote);
    if (failure.timedOut && !tlsBroken) this.#timeouts += 1;
    if (performance.now() >= this.#deadlineAt) this.#timeouts = MAX_TIMEOUTS;
  }

  /** Nothing foreseen: said once, and temporary for the mail. */
  #giveUp(error: unknown): void {
    this.services.log({ event: 'courier.surprise', id: this.job.id, error: String(error) });
    const text = 'the attempt broke off for a reason of ours';
    this.#failure = new SmtpFailure({ phase: 'connect', reply: { code: null, enhanced: '4.3.0', text } });
  }

  #takeAll(): string[] {
    const keys = this.#pending.map(({ key }) => key);
    this.#pending = [];
    return keys;
  }
}

/** What the sender asks of a line, beside the receiver's policy. */
const WISHES: Record<CourierJob['tls'], (target: Target) => Target> = {
  opportunistic: (target) => target,
  enforced,
  unconditional,
};

const NULL_SENDER: WireAddress = { text: '', domain: '', needsUtf8: false };

function ownBounce(found: BounceClass, enhanced: string, text: string): OwnDecision {
  return { kind: 'bounced', class: found, phase: 'mail', reply: { code: null, enhanced, text } };
}

/** The name is this mail's, the line may have been opened for another name of the same address. */
function remoteOf(line: SmtpConnection, target: Target): Remote {
  const facts = lineFacts(line.secured);
  // The records of the name itself stand above the usual authorities.
  const verified = target.proof.kind === 'tlsa' ? true : facts.verified && line.target.host === target.host;
  return { ...remoteAt(target), ...facts, verified, source: line.localAddress };
}

function remoteAt({ host, address, policy, provider }: Target): Remote {
  return { ...NO_REMOTE, mx: host, ip: address, policy: policy.name, provider };
}

/** Ours to mend (an address too few), so it is no bounce. */
function otherFamily(source: string): OwnDecision {
  const text = `no address of the servers can be spoken to from ${source}`;
  return { kind: 'deferred', class: 'routing', phase: 'dns', reply: { code: null, enhanced: '4.4.4', text } };
}

/** What the server's EHLO says that it cannot take. */
function beforeOffer(enhanced: string, text: string): OwnDecision {
  return { ...ownBounce('content', enhanced, text), phase: 'ehlo' };
}

const NO_CONTENT: OwnDecision = {
  kind: 'deferred',
  class: 'deferral',
  phase: 'mail',
  reply: { code: null, enhanced: '4.3.0', text: 'the content of the mail could not be produced' },
};

function notBegun(failure: SmtpFailure | null): TransactionReport {
  return { mail: null, rcpt: [], final: null, failure, dotWritten: false, outOfStep: false };
}

/** A kept-open connection that ended before MAIL was answered says nothing about the mail. */
function isStale(report: TransactionReport): boolean {
  return report.failure !== null && report.mail === null && !report.failure.timedOut;
}
