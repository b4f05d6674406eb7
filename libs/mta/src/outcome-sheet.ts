import type { CourierRecipient } from './courier.js';
import { NO_REMOTE } from './delivery-outcome.js';
import type { BounceClass, DeliveryPhase, EarlierHost, Outcome, Remote, ServerReply } from './delivery-outcome.js';
import { bounceTypeOf, classifyReply, mayMeanOurLogin } from './reply-classifier.js';
import { retryHint } from './retry-hint.js';
import type { SmtpFailure } from './smtp-failure.js';
import { saysTooMany } from './transaction-verdict.js';
import type { RecipientVerdict } from './transaction-verdict.js';

/** An outcome that we decide without a server's word. */
export interface OwnDecision {
  kind: 'deferred' | 'bounced';
  class: BounceClass;
  phase: DeliveryPhase;
  reply: ServerReply;
}

/** Collects the outcomes of one attempt: turns verdicts and failures into the words of the contract. */
export class OutcomeSheet {
  readonly #outcomes = new Map<string, Outcome>();
  #startedAt = Date.now();
  /** Hosts that broke off, and those that cannot take what some of them need, in order. */
  readonly #before: (EarlierHost & { failure?: SmtpFailure; keys?: readonly string[] })[] = [];

  constructor(private readonly smarthost: boolean) {}

  /** Waiting for a free connection is not part of the attempt. */
  startLater(waitedMs: number): void {
    this.#startedAt += waitedMs;
  }

  /** A host broke off; the attempt may go on at the next one. */
  brokeOff(failure: SmtpFailure, remote: Remote): void {
    this.#before.push({ failure, remote, phase: failure.phase, reply: failure.reply });
  }

  /** A host is not offered these; the attempt goes on at the next one. */
  passedOver(keys: readonly string[], { phase, reply }: OwnDecision, remote: Remote): void {
    this.#before.push({ keys, remote, phase, reply });
  }

  settle(key: string, verdict: Exclude<RecipientVerdict, { kind: 'again' }>, remote: Remote): void {
    switch (verdict.kind) {
      case 'delivered':
        this.#delivered(key, verdict.reply, remote);
        return;
      case 'answered':
        this.#answered(key, verdict, remote);
        return;
      case 'broken': {
        const { certainty, phase, reply } = verdict;
        const unknown =
          certainty === 'unknown_outcome' ? `${reply.text}; the mail may have been delivered` : reply.text;
        this.#defer(key, { certainty, phase, reply: { ...reply, text: unknown }, remote });
        return;
      }
    }
  }

  own(keys: string[], decision: OwnDecision, remote: Remote = NO_REMOTE): void {
    const { phase, reply, class: found } = decision;
    for (const key of keys) {
      const common = { ...this.#times(), ...this.#earlier(key, remote), key, phase, reply, remote, class: found };
      if (decision.kind === 'bounced') {
        this.#outcomes.set(key, { ...common, kind: 'bounced', bounceType: bounceTypeOf(found) });
      } else {
        this.#outcomes.set(key, { ...common, kind: 'deferred', certainty: 'not_sent' });
      }
    }
  }

  /** No host took them; a refusal in banner or EHLO concerns the host, so it never bounces a mail. */
  fail(keys: string[], failure: SmtpFailure): void {
    const { phase, reply } = failure;
    const certainty = failure.answered ? 'answered' : 'not_sent';
    const found = failure.class === null ? {} : { class: failure.class };
    const remote = this.#before.find((host) => host.failure === failure)?.remote ?? NO_REMOTE;
    for (const key of keys) this.#defer(key, { certainty, phase, reply, remote, ...found });
  }

  abandon(keys: string[], busyHost: string | null = null): void {
    for (const key of keys) this.#outcomes.set(key, { ...this.#times(), key, kind: 'abandoned', busyHost });
  }

  /** In the order of the job; whoever has no outcome was not touched. */
  outcomes(recipients: CourierRecipient[]): Outcome[] {
    return recipients.map(({ key }) => this.#outcomes.get(key) ?? { ...this.#times(), key, kind: 'abandoned' });
  }

  #delivered(key: string, reply: ServerReply, remote: Remote): void {
    const startedAt = new Date(this.#startedAt);
    const endedAt = new Date();
    const earlier = this.#earlier(key, remote);
    this.#outcomes.set(key, { key, kind: 'delivered', reply, remote, startedAt, endedAt, ...earlier });
  }

  #answered(key: string, said: Extract<RecipientVerdict, { kind: 'answered' }>, remote: Remote): void {
    const { phase, reply, subject } = said;
    const verdict = classifyReply(reply, subject);
    const { class: found, bounceType } = verdict;
    if (this.smarthost && mayMeanOurLogin(reply)) {
      const ours = bounceType === 'hard' ? 'authentication' : found;
      this.#defer(key, { certainty: 'answered', phase, reply, remote, class: ours });
      return;
    }
    if (!verdict.permanent || reply.code === null || saysTooMany(reply)) {
      this.#defer(key, { certainty: 'answered', phase, reply, remote });
      return;
    }
    const common = { ...this.#times(), ...this.#earlier(key, remote), key, phase, reply, remote };
    this.#outcomes.set(key, { ...common, kind: 'bounced', class: found, bounceType });
  }

  #defer(
    key: string,
    said: {
      certainty: 'not_sent' | 'unknown_outcome' | 'answered';
      phase: DeliveryPhase;
      reply: ServerReply;
      remote: Remote;
      class?: BounceClass;
    },
  ): void {
    const { class: found } = said.certainty === 'answered' ? classifyReply(said.reply) : { class: 'deferral' as const };
    const retryAfterMs = said.certainty === 'answered' ? retryHint(said.reply.text) : undefined;
    const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
    const common = { ...this.#times(), ...this.#earlier(key, said.remote) };
    this.#outcomes.set(key, { ...common, class: found, ...said, ...hint, key, kind: 'deferred' });
  }

  /** All hosts that it stood at but the one that is the outcome itself. */
  #earlier(key: string, outcome: Remote): { earlier?: EarlierHost[] } {
    const earlier = this.#before
      .filter(({ remote, keys }) => remote !== outcome && (keys?.includes(key) ?? true))
      .map(({ remote, phase, reply }) => ({ remote, phase, reply }));
    return earlier.length === 0 ? {} : { earlier };
  }

  #times(): { startedAt: Date; endedAt: Date } {
    return { startedAt: new Date(this.#startedAt), endedAt: new Date() };
  }
}
