import { Injectable } from '@nestjs/common';
import { Allowances } from '#libs/accounts';
import { BatchRefusal, newId, orRefusal, Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config, LoopBudget, LocalNotifications, tracing, yielding } from '#libs/kernel';
import { SuppressionList } from '#libs/suppressions';
import { LocalDelivery } from '../message/local-delivery.js';
import { AcceptGroups } from './accept-groups.js';
import { draftOf, jobsOf, rowsOf, type Draft } from './accept-draft.js';
import type { AcceptRequest, AcceptResult } from './accept-request.js';
import { AttachmentFetcher } from './attachments/attachment-fetcher.js';
import { furtherTypes, type FurtherTypes } from './attachments/attachment-types.js';
import { authoriseSender } from './authorise-sender.js';
import { checkContent } from './check-content.js';
import type { EmailRows } from './insert-emails.js';
import { isOfTheKey, RepeatedRequests } from './repeated-requests.js';
import { resolveTracking } from './resolve-tracking.js';
import { unsuppressedRecipients } from './recipients.js';
import { sizeOf } from './submission-size.js';
import type { Accepted, AcceptedBatch, BatchElement, Idempotency, Submission } from './submission.js';

/** Larger messages wait for their share of the event loop before they are accepted. */
const SMALL_BYTES = 64 * 1024;
/** Bytes of large messages per turn of the event loop. */
const TURN_BYTES = 1024 * 1024;
interface BatchOptions {
  permissive: boolean;
  idempotency: Idempotency | null;
}

/** A draft with its rows, and what happens to its delivery jobs after the commit. */
interface Prepared {
  rows: EmailRows;
  units: number;
  /** Called after the commit: passes the jobs to delivery in this process, or wakes the claim loop. */
  deliver: () => void;
  /** Called instead when nothing was written. */
  cancel: () => void;
}

/**
 * Accepts messages from REST, Resend-compatible routes and SMTP. Each step may refuse; the result is returned after the
 * commit.
 */
@Injectable()
export class EmailIntake {
  private readonly repeated: RepeatedRequests;
  private readonly loopBudget = new LoopBudget(TURN_BYTES);
  private readonly lifetimeMs: number;
  private readonly furtherTypes: FurtherTypes;

  constructor(
    config: Config,
    private readonly groups: AcceptGroups,
    private readonly notifications: LocalNotifications,
    private readonly allowances: Allowances,
    private readonly domains: SendingDomains,
    private readonly suppressions: SuppressionList,
    private readonly localDelivery: LocalDelivery,
    private readonly attachments: AttachmentFetcher,
  ) {
    this.repeated = new RepeatedRequests(groups);
    this.lifetimeMs = config.settings.DELIVERY_LIFETIME;
    this.furtherTypes = furtherTypes(config.settings.ATTACHMENT_TYPES);
  }

  /**
   * Accepts a message durably.
   * @throws Refusal in this order: sending paused (403), domains of the key (403), sender domain, tracking, attachments, size, suppressions (422),
   * idempotency key (409), allowance (429), database unavailable (503).
   * @param request the submission, or the refusal of the caller's rules
   * @param idempotency given with a refusal; see `RepeatedRequests`
   */
  async accept(
    request: Submission | Refusal,
    idempotency = request instanceof Refusal ? null : request.idempotency,
  ): Promise<Accepted> {
    return tracing.span('accept', {}, async (span) => {
      const isSubmitted = !(request instanceof Refusal);
      const outcome = isSubmitted ? await orRefusal(() => this.acceptOne(request, idempotency)) : request;
      const { answer, replayed } = await this.repeated.answer(idempotency, { outcome, isSubmitted });
      const { id } = answer as Accepted;
      span.set({ 'postloft.email.id': id });
      return { id, replayed };
    });
  }

  /**
   * Accepts the messages of one request, in order. An element may be a refusal already, by the field rules. Strict: all
   * or none. Permissive: those that can be accepted, if there is one.
   * @throws BatchRefusal, and the refusals of `accept` that concern the whole request.
   */
  async acceptBatch(
    elements: readonly (Submission | Refusal)[],
    { permissive, idempotency }: BatchOptions,
  ): Promise<AcceptedBatch> {
    return tracing.span('accept', { attributes: { 'postloft.batch.size': elements.length } }, () =>
      this.acceptElements(elements, { permissive, idempotency }),
    );
  }

  private async acceptElements(
    elements: readonly (Submission | Refusal)[],
    { permissive, idempotency }: BatchOptions,
  ): Promise<AcceptedBatch> {
    const drafts = await orRefusal(() => this.draftsOf(elements));
    const outcome =
      drafts instanceof Refusal ? drafts : await orRefusal(() => this.commitBatch(drafts, { permissive, idempotency }));
    const { answer, replayed } = await this.repeated.answer(idempotency, { outcome, isSubmitted: true });
    // An earlier batch may be one of another key.
    const allowed = (answer as AcceptedBatch).elements.map((element, i) => {
      const draft = drafts instanceof Refusal ? drafts : drafts[i];
      return draft instanceof Refusal && isOfTheKey(draft) ? toRefusedElement(draft) : element;
    });
    return { elements: allowed, replayed };
  }

  private async acceptOne(submission: Submission, idempotency: Idempotency | null): Promise<AcceptResult> {
    const draft = await this.check(submission, newId('em'));
    return this.commit([draft], { partial: false, idempotency, answer: () => ({ id: draft.email.id }) });
  }

  private async commitBatch(
    drafts: readonly (Draft | Refusal)[],
    { permissive, idempotency }: BatchOptions,
  ): Promise<AcceptResult> {
    const good = drafts.filter((draft): draft is Draft => !(draft instanceof Refusal));
    if (good.length === 0 || (!permissive && good.length < drafts.length)) throw new BatchRefusal(drafts, permissive);
    const committed = this.commit(good, {
      partial: permissive,
      idempotency,
      answer: (written) => ({ elements: batchElements(drafts, new Set([...written].map((rows) => rows.id))) }),
    });
    return permissive ? committed.catch((error: unknown) => refuseBatch(drafts, error)) : committed;
  }

  /** The steps before the commit. */
  private async check(given: Submission, id: string): Promise<Draft> {
    await this.assertNotPaused([given]);
    const bytes = sizeOf(given);
    if (bytes > SMALL_BYTES) await this.loopBudget.spend(bytes);
    const domain = await authoriseSender(this.domains, given);
    const tracking = resolveTracking(domain, given);
    const submission = await checkContent(given, this.attachments, this.furtherTypes);
    const recipients = await unsuppressedRecipients(this.suppressions, submission, domain.id);
    return draftOf(submission, { id, domain, tracking, recipients, lifetimeMs: this.lifetimeMs });
  }

  /** Test messages reach nobody, and notices of the service tell about the pause. */
  private async assertNotPaused(elements: readonly (Submission | Refusal)[]): Promise<void> {
    const counted = elements.find(
      (element): element is Submission =>
        !(element instanceof Refusal) && element.mode === 'live' && element.source !== 'service',
    );
    if (counted) await this.allowances.assertNotPaused(counted.accountId);
  }

  private async draftsOf(elements: readonly (Submission | Refusal)[]): Promise<(Draft | Refusal)[]> {
    await this.assertNotPaused(elements);
    // Ids in the order of the request: lists are sorted by id, and one check may take longer than the next.
    const ids = elements.map(() => newId('em'));
    return Promise.all(elements.map((element, i) => this.draftOrRefusal(element, ids[i])));
  }

  private async draftOrRefusal(element: Submission | Refusal, id: string): Promise<Draft | Refusal> {
    return element instanceof Refusal ? element : orRefusal(() => this.check(element, id));
  }

  /** Takes the idempotency key, reserves the allowance and inserts the messages, together with concurrent requests. */
  private async commit(
    drafts: Draft[],
    of: Pick<AcceptRequest, 'partial' | 'idempotency' | 'answer'>,
  ): Promise<AcceptResult> {
    const { accountId } = drafts[0].submission;
    const weight = await this.allowances.weightOf(accountId);
    const prepared = await yielding.map(drafts, (draft) => this.prepare(draft, weight));
    try {
      const request: AcceptRequest = {
        ...of,
        accountId,
        emails: prepared.map(({ rows }) => rows),
        units: prepared.map(({ units }) => units),
        limit: prepared.some(({ units }) => units > 0) ? await this.allowances.limitOf(accountId) : null,
      };
      const result = await tracing.span('commit', {}, () => this.groups.commit(request));
      // After the answers, so that clients continue while delivery starts.
      setImmediate(() => this.afterCommit(prepared, result));
      return result;
    } catch (error) {
      for (const { cancel } of prepared) cancel();
      throw error;
    }
  }

  private afterCommit(prepared: Prepared[], { emails }: AcceptResult): void {
    for (const { rows, deliver, cancel } of prepared) {
      if (emails.has(rows)) deliver();
      else cancel();
    }
    this.notifications.notify('outbox');
  }

  private prepare(draft: Draft, weight: number): Prepared {
    // Scheduled messages wait in the database.
    const jobs = draft.submission.scheduledAt ? [] : jobsOf(draft, weight);
    const { workerId, deliver, cancel } = this.localDelivery.reserve(jobs, draft.content.body.length);
    const units = this.unitsOf(draft);
    return {
      rows: rowsOf(draft, units, workerId),
      units,
      cancel,
      deliver: deliver ?? (() => jobs.length > 0 && this.notifications.notify('due-mail')),
    };
  }

  /** Units of the monthly allowance: none for test messages, messages of the service and suppressed recipients. */
  private unitsOf({ submission, recipients }: Draft): number {
    if (submission.mode === 'test' || submission.source === 'service') return 0;
    const reached = recipients.filter((recipient) => recipient.suppressed === null).length;
    return this.allowances.unit === 'message' ? Math.min(1, reached) : reached;
  }
}

/** The results of a batch in the order of the request: the id of each accepted message, the refusal of each other. */
function batchElements(drafts: readonly (Draft | Refusal)[], written: ReadonlySet<string>): BatchElement[] {
  return drafts.map((draft) => {
    if (draft instanceof Refusal) return toRefusedElement(draft);
    return written.has(draft.email.id)
      ? { id: draft.email.id }
      : toRefusedElement(new Refusal('monthly_quota_exceeded'));
  });
}

function toRefusedElement(refusal: Refusal): BatchElement {
  const { error, name, status } = refusal.row;
  return { refused: { error, name, status, message: refusal.message, field: refusal.details[0]?.field ?? null } };
}

/** A permissive batch fails as a whole when the allowance suffices for none of its messages. */
function refuseBatch(drafts: readonly (Draft | Refusal)[], error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'monthly_quota_exceeded') throw error;
  throw new BatchRefusal(
    drafts.map((draft) => (draft instanceof Refusal ? draft : error)),
    true,
  );
}
