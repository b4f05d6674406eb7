import type { EnvelopeRecipient } from './courier.js';
import { NO_REMOTE } from './delivery-outcome.js';
import type { BounceClass, DeliveryPhase, EarlierHost, Outcome, Remote, ServerReply } from './delivery-outcome.js';
import { bounceTypeOf, classifyReply, mayConcernOurLogin } from './replies/reply-classifier.js';
import { retryHint } from './replies/retry-hint.js';
import type { SmtpFailure } from './smtp/failure.js';
import { isTooManyRecipients } from './smtp/recipient-result.js';
import type { RecipientResult } from './smtp/recipient-result.js';
import { databaseClock } from '#libs/kernel';

/** An outcome that we decide without a reply of a server. */
export interface LocalDecision {
  kind: 'deferred' | 'bounced';
  class: BounceClass;
  phase: DeliveryPhase;
  reply: ServerReply;
}

/** Collects the outcomes of one attempt from the results of transactions and from failures. */
export class OutcomeCollector {
  private readonly outcomes = new Map<string, Outcome>();
  private startedAt = databaseClock.now();
  /** Hosts that failed, and hosts that do not support what some messages need, in order. */
  private readonly before: (EarlierHost & { failure?: SmtpFailure; keys?: readonly string[] })[] = [];

  constructor(private readonly smarthost: boolean) {}

  /** Waiting for a free connection is not part of the attempt. */
  addWaitingTime(waitedMs: number): void {
    this.startedAt += waitedMs;
  }

  /** A host failed. The attempt may continue at the next one. */
  addFailure(failure: SmtpFailure, remote: Remote): void {
    this.before.push({ failure, remote, phase: failure.phase, reply: failure.reply });
  }

  /** A host is not used for these recipients. The attempt continues at the next one. */
  addSkippedHost(keys: readonly string[], { phase, reply }: LocalDecision, remote: Remote): void {
    this.before.push({ keys, remote, phase, reply });
  }

  settle(key: string, result: Exclude<RecipientResult, { kind: 'again' }>, remote: Remote): void {
    switch (result.kind) {
      case 'delivered':
        this.delivered(key, result.reply, remote);
        return;
      case 'answered':
        this.answered(key, result, remote);
        return;
      case 'broken': {
        const { certainty, phase, reply } = result;
        const unknown =
          certainty === 'unknown_outcome' ? `${reply.text}; the mail may have been delivered` : reply.text;
        this.defer(key, { certainty, phase, reply: { ...reply, text: unknown }, remote });
        return;
      }
    }
  }

  decide(keys: string[], decision: LocalDecision, remote: Remote = NO_REMOTE): void {
    const { phase, reply, class: found } = decision;
    for (const key of keys) {
      const common = { ...this.times(), ...this.earlier(key, remote), key, phase, reply, remote, class: found };
      if (decision.kind === 'bounced') {
        this.outcomes.set(key, { ...common, kind: 'bounced', bounceType: bounceTypeOf(found) });
      } else {
        this.outcomes.set(key, { ...common, kind: 'deferred', certainty: 'not_sent' });
      }
    }
  }

  /** No host accepted them. A refusal in the greeting or in EHLO concerns the host, so it never bounces a message. */
  fail(keys: string[], failure: SmtpFailure): void {
    const { phase, reply } = failure;
    const certainty = failure.answered ? 'answered' : 'not_sent';
    const found = failure.class === null ? {} : { class: failure.class };
    const remote = this.before.find((host) => host.failure === failure)?.remote ?? NO_REMOTE;
    for (const key of keys) this.defer(key, { certainty, phase, reply, remote, ...found });
  }

  abandon(keys: string[], busyHost: string | null = null): void {
    for (const key of keys) this.outcomes.set(key, { ...this.times(), key, kind: 'abandoned', busyHost });
  }

  /** In the order of the envelope. A recipient without an outcome was not attempted. */
  collect(recipients: EnvelopeRecipient[]): Outcome[] {
    return recipients.map(({ key }) => this.outcomes.get(key) ?? { ...this.times(), key, kind: 'abandoned' });
  }

  private delivered(key: string, reply: ServerReply, remote: Remote): void {
    const startedAt = new Date(this.startedAt);
    const endedAt = databaseClock.date();
    const earlier = this.earlier(key, remote);
    this.outcomes.set(key, { key, kind: 'delivered', reply, remote, startedAt, endedAt, ...earlier });
  }

  private answered(key: string, refusal: Extract<RecipientResult, { kind: 'answered' }>, remote: Remote): void {
    const { phase, reply, subject } = refusal;
    const classification = classifyReply(reply, subject);
    const { class: found, bounceType } = classification;
    if (this.smarthost && mayConcernOurLogin(reply)) {
      const ours = bounceTypeOf(found) === 'hard' ? 'authentication' : found;
      this.defer(key, { certainty: 'answered', phase, reply, remote, class: ours });
      return;
    }
    if (!classification.permanent || reply.code === null || isTooManyRecipients(reply)) {
      this.defer(key, { certainty: 'answered', phase, reply, remote });
      return;
    }
    const common = { ...this.times(), ...this.earlier(key, remote), key, phase, reply, remote };
    this.outcomes.set(key, { ...common, kind: 'bounced', class: found, bounceType });
  }

  private defer(
    key: string,
    refusal: {
      certainty: 'not_sent' | 'unknown_outcome' | 'answered';
      phase: DeliveryPhase;
      reply: ServerReply;
      remote: Remote;
      class?: BounceClass;
    },
  ): void {
    const { class: found } =
      refusal.certainty === 'answered' ? classifyReply(refusal.reply) : { class: 'deferral' as const };
    const retryAfterMs = refusal.certainty === 'answered' ? retryHint(refusal.reply.text) : undefined;
    const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
    const common = { ...this.times(), ...this.earlier(key, refusal.remote) };
    this.outcomes.set(key, { ...common, class: found, ...refusal, ...hint, key, kind: 'deferred' });
  }

  /** All hosts that were tried for this recipient, except the host of the outcome itself. */
  private earlier(key: string, outcome: Remote): { earlier?: EarlierHost[] } {
    const earlier = this.before
      .filter(({ remote, keys }) => remote !== outcome && (keys?.includes(key) ?? true))
      .map(({ remote, phase, reply }) => ({ remote, phase, reply }));
    return earlier.length === 0 ? {} : { earlier };
  }

  private times(): { startedAt: Date; endedAt: Date } {
    return { startedAt: new Date(this.startedAt), endedAt: databaseClock.date() };
  }
}
