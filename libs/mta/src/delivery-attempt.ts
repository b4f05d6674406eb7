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
import { CourierClosing, SmtpFailure } from './smtp-failure.js';
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
  #waitLeft: number;
  #timeouts = 0;
  #failure: SmtpFailure | null = null;

  constructor(
    private readonly job: CourierJob,
    private readonly services: AttemptServices,
  ) {
    this.#sheet = new OutcomeSheet(services.smarthost);
    this.#forms = new MailForms(job);
    this.#deadlineAt = performance.now() + services.limits.total;
    this.#waitLeft = services.limits.total;
  }

  /** Never rejects. */
  async run(): Promise<Outcome[]> {
    try {
      await this.#deliver();
    } catch (error) {
      if (!(error instanceof CourierClosing)) this.#giveUp(error);
    }
    const left = this.#pending.map(({ key }) => key);
    if (this.services.isClosing() || this.#failure === null) this.#sheet.abandon(left);
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
      else this.#pending.push({ key, wire });
    }
  }

  #preferReachable(targets: Target[]): Target[] {
    if (targets.length < 2) return targets;
    const { pool } = this.services;
    const later = targets.filter((target) => pool.isUnreachable(target));
    return later.length === 0 ? targets : [...targets.filter((target) => !later.includes(target)), ...later];
  }

  async #visit(target: Target): Promise<'over' | 'tls_broken'> {
    let connection: SmtpConnection | null = null;
    try {
      connection = this.services.pool.take(target) ?? (await this.#connect(target));
      connection.deadlineAt = this.#deadlineAt;
      // Covers the time until MAIL, in which the content is fetched.
      connection.arm('mail', this.services.limits.total);
      connection = await this.#converse(connection, target);
      return 'over';
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error;
      const broken = error.phase === 'tls' && !error.answered && mayGoInTheClear(target);
      const source = error.source ?? target.source?.address ?? null;
      this.#note(error, { ...remoteAt(target), ...error.line, source }, broken);
      return broken ? 'tls_broken' : 'over';
    } finally {
      if (connection !== null) this.services.pool.giveBack(connection);
    }
  }

  async #connect(target: Target): Promise<SmtpConnection> {
    const { pool } = this.services;
    const before = performance.now();
    const handed = await pool.slot(target, this.#waitLeft);
    const waited = performance.now() - before;
    // The attempt's time runs while somebody works on it, not while it stands in the queue.
    this.#waitLeft -= waited;
    this.#deadlineAt += waited;
    this.#sheet.startLater(waited);
    return handed ?? pool.open(target, this.#deadlineAt);
  }

  /** Transactions on one host until nobody is left, the line breaks, or the claim is lost. Returns the line in use. */
  async #converse(connection: SmtpConnection, target: Target): Promise<SmtpConnection> {
    let line = connection;
    let fresh = line.mails === 0;
    while (this.#pending.length > 0) {
      const report = await this.#transact(line, target);
      if (report === null) return line;
      if (!fresh && isStale(report)) {
        line = await this.services.pool.reopen(line, target, this.#deadlineAt);
        fresh = true;
        continue;
      }
      fresh = true;
      this.#settle(report, remoteOf(line, target));
      if (line.failure !== null) return line;
    }
    return line;
  }

  /** Null when no transaction was begun: everybody is settled, or the claim is lost. */
  async #transact(line: SmtpConnection, target: Target): Promise<TransactionReport | null> {
    const form = await this.#formFor(line);
    if (form === null) return notBegun(line.failure);
    if (form.kind !== 'bytes') {
      this.#sheet.own(this.#takeAll(), withoutForm(form), remoteOf(line, target));
      return null;
    }
    const { content } = form;
    if (!this.#fits(line, form.size, target)) return null;
    const mayStart = this.job.mayStart();
    if (!(typeof mayStart === 'boolean' ? mayStart : await mayStart)) {
      this.#sheet.abandon(this.#takeAll());
      return null;
    }
    const envelope = { from: this.#mailFrom(line, form), to: this.#pending.map(({ wire }) => wire.text) };
    const transaction = new SmtpTransaction(line, envelope, { content, limits: this.services.limits });
    return new Promise((resolve) => transaction.start(resolve));
  }

  /** Null when the line broke first, which also bounds a content that never comes. */
  #formFor(line: SmtpConnection): Promise<MailForm | null> {
    if (line.failure !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      line.onFailure = () => resolve(null);
      void this.#forms.for(line.extensions).then(resolve);
    });
  }

  /** Settles what this server cannot take, without asking it. False when nobody is left. */
  #fits(line: SmtpConnection, octets: number, target: Target): boolean {
    const { size, smtpUtf8 } = line.extensions;
    if (size !== null && size > 0 && octets > size) {
      const text = `the mail has ${octets} octets, the server takes ${size}`;
      const reply = { code: null, enhanced: '5.3.4', text };
      this.#sheet.own(
        this.#takeAll(),
        { kind: 'bounced', class: 'too_large', phase: 'ehlo', reply },
        remoteOf(line, target),
      );
      return false;
    }
    if (!smtpUtf8) this.#refuseUtf8(remoteOf(line, target));
    return this.#pending.length > 0;
  }

  #refuseUtf8(remote: Remote): void {
    const senderToo = this.#from?.needsUtf8 === true;
    const refused = this.#pending.filter(({ wire }) => senderToo || wire.needsUtf8);
    if (refused.length === 0) return;
    this.#pending = this.#pending.filter((addressee) => !refused.includes(addressee));
    const text = 'the server takes no internationalised addresses (SMTPUTF8)';
    const reply = { code: null, enhanced: '5.6.7', text };
    const keys = refused.map(({ key }) => key);
    this.#sheet.own(keys, { kind: 'bounced', class: 'content', phase: 'ehlo', reply }, remote);
  }

  #mailFrom(line: SmtpConnection, { size: octets, eightBit, header }: MailForm & { kind: 'bytes' }): string {
    const { size, eightBitMime } = line.extensions;
    let from = `<${this.#from?.text ?? ''}>`;
    if (size !== null) from += ` SIZE=${octets}`;
    if (eightBitMime && eightBit) from += ' BODY=8BITMIME';
    const utf8 =
      header === 'utf8' || this.#from?.needsUtf8 === true || this.#pending.some(({ wire }) => wire.needsUtf8);
    return utf8 ? `${from} SMTPUTF8` : from;
  }

  #settle(report: TransactionReport, remote: Remote): void {
    const left: Addressee[] = [];
    for (const [i, addressee] of this.#pending.entries()) {
      const verdict = recipientVerdict(report, i);
      const retry = verdict.kind === 'again' || (verdict.kind === 'broken' && verdict.certainty === 'not_sent');
      if (retry) left.push(addressee);
      else this.#sheet.settle(addressee.key, verdict, remote);
    }
    this.#pending = left;
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

function withoutForm(form: Exclude<MailForm, { kind: 'bytes' }>): OwnDecision {
  if (form.kind === 'impossible') return { ...ownBounce('content', form.enhanced, form.text), phase: 'ehlo' };
  const reply = { code: null, enhanced: '4.3.0', text: 'the content of the mail could not be produced' };
  return { kind: 'deferred', class: 'deferral', phase: 'mail', reply };
}

function notBegun(failure: SmtpFailure | null): TransactionReport {
  return { mail: null, rcpt: [], final: null, failure, dotWritten: false, outOfStep: false };
}

/** A kept-open connection that ended before MAIL was answered says nothing about the mail. */
function isStale(report: TransactionReport): boolean {
  return report.failure !== null && report.mail === null && !report.failure.timedOut;
}
