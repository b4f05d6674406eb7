import { Injectable } from '@nestjs/common';
import { Allowances } from '#libs/accounts';
import { BatchRefusal, LIMITS, newId, Refusal, type RefusalDetail } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config, inTurns, Shutdown, TurnGate, Wakeups } from '#libs/kernel';
import { domainOf } from '#libs/mime';
import { Database, GroupCommit } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { HandOff } from '../hand-off.js';
import { draftOf, rowsOf, type Draft } from './accept-draft.js';
import { AcceptWriter } from './accept-writer.js';
import { AttachmentFetcher } from './attachment-fetcher.js';
import { forbiddenAttachments } from './attachment-rules.js';
import { batchElements } from './batch-elements.js';
import { reserveHandOver, type HandOver } from './hand-over.js';
import type { MailRows } from './insert-mails.js';
import type { Parcel, Written } from './parcel.js';
import { distinctRecipients, type Recipient } from './recipients.js';
import { requireAllowedFiles } from './relayed-files.js';
import { mailTooLarge, sizeOf } from './submission-size.js';
import type { Accepted, AcceptedBatch, Idempotency, PartsContent, Submission } from './submission.js';

/** An answer of the suppression list that the door got this recently is not asked for again. */
const FRESH_ANSWER_MS = 1_000;
/** Mails up to this size are checked and encoded as they come; larger ones by turns, with so much in one turn. */
const LIGHT_BYTES = 64 * 1024;
const HEAVY_BYTES = 1024 * 1024;
const GROUP_ITEMS = 128;
const GROUP_BYTES = 4 * 1024 * 1024;
/** A commit costs as much processor time as four mails; the clients of a crowd come back within about so long. */
const GROUP_CROWD_MS = 1;

/** A draft with its rows and its way to delivery. */
interface Packed {
  rows: MailRows;
  units: number;
  handOver: HandOver;
}

/**
 * The one door into the service: REST, façade and SMTP all end here. Each step may refuse; the answer is given only
 * after the commit is on disk.
 */
@Injectable()
export class EmailIntake {
  private readonly group: GroupCommit<Parcel, Written>;
  /** A large body is long on its way to the database: nobody else waits behind it. */
  private readonly heavyGroup: GroupCommit<Parcel, Written>;
  private readonly writer: AcceptWriter;
  private readonly heavySteps = new TurnGate(HEAVY_BYTES);
  private readonly lifetimeMs: number;

  constructor(
    database: Database,
    config: Config,
    shutdown: Shutdown,
    private readonly wakeups: Wakeups,
    private readonly allowances: Allowances,
    private readonly domains: SendingDomains,
    private readonly suppressions: SuppressionList,
    private readonly handOff: HandOff,
    private readonly attachmentFetcher: AttachmentFetcher,
  ) {
    this.writer = new AcceptWriter(database, allowances);
    this.lifetimeMs = config.settings.DELIVERY_LIFETIME;
    const groups = () =>
      new GroupCommit<Parcel, Written>({
        commit: (parcels) => this.writer.commit(parcels),
        maxItems: GROUP_ITEMS,
        crowdMs: GROUP_CROWD_MS,
        maxBytes: GROUP_BYTES,
        sizeOf: bodyBytes,
      });
    [this.group, this.heavyGroup] = [groups(), groups()];
    // With that, what the last group accepted is handed over.
    shutdown.on('intake', 'accept', async () => {
      await Promise.all([this.group.drained(), this.heavyGroup.drained()]);
    });
  }

  /**
   * Accepts a mail durably.
   * @throws Refusal: key's domains (403), domain, attachments, size, suppression (422), idempotency (409), allowance
   * (429), store down (503).
   */
  async accept(submission: Submission): Promise<Accepted> {
    const { idempotency } = submission;
    const { answer, replayed } = await this.answered(idempotency, async () => {
      const draft = await this.checked(submission, newId('em'));
      return this.commit([draft], { partial: false, idempotency, answer: () => ({ id: draft.mail.id }) });
    });
    return { id: (answer as Accepted).id, replayed };
  }

  /**
   * Accepts the mails of one request, in order. An element may already be refused by the rules of its fields. Strict:
   * all or nothing. Permissive: those that can be, as long as there is one (D-26, D-27).
   * @throws BatchRefusal, and what `accept` throws for the request as a whole.
   */
  async acceptBatch(
    elements: readonly (Submission | Refusal)[],
    { permissive, idempotency }: { permissive: boolean; idempotency: Idempotency | null },
  ): Promise<AcceptedBatch> {
    const { answer, replayed } = await this.answered(idempotency, async () => {
      // The ids first: lists are in their order, and the checks of one mail may outlast those of the next.
      const ids = elements.map(() => newId('em'));
      const drafts = await Promise.all(elements.map((element, i) => this.draftOrRefusal(element, ids[i])));
      const good = drafts.filter((draft): draft is Draft => !(draft instanceof Refusal));
      if (good.length === 0 || (!permissive && good.length < drafts.length)) throw new BatchRefusal(drafts, permissive);
      const committed = this.commit(good, {
        partial: permissive,
        idempotency,
        answer: (written) => ({ elements: batchElements(drafts, new Set([...written].map((mail) => mail.id))) }),
      });
      return permissive ? committed.catch((error: unknown) => refuseAll(drafts, error)) : committed;
    });
    return { elements: (answer as AcceptedBatch).elements, replayed };
  }

  /**
   * The answer of this commit, or of the key's first request: also where a later check would refuse the repetition now
   * (D-20 has the key before domain, suppression and allowance). That is asked only when something refuses, so that a
   * first request pays nothing. It has the shape that `attempt` gave it, whether it comes from this commit or from the
   * key's row.
   */
  private async answered(idempotency: Idempotency | null, attempt: () => Promise<Written>): Promise<Written> {
    try {
      return await attempt();
    } catch (refusal) {
      const earlier = idempotency && refusal instanceof Refusal ? await this.writer.earlier(idempotency) : null;
      if (earlier === null) throw refusal;
      return earlier;
    }
  }

  private async draftOrRefusal(element: Submission | Refusal, id: string): Promise<Draft | Refusal> {
    if (element instanceof Refusal) return element;
    return this.checked(element, id).catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
  }

  private async checked(given: Submission, id: string): Promise<Draft> {
    const domainId = await this.requireActiveDomain(given);
    const submission = await this.withFetchedFiles(given);
    const size = sizeOf(submission);
    if (submission.content.format === 'mime')
      await requireAllowedFiles(submission.content.files ?? [], this.heavySteps);
    else {
      if (size > LIGHT_BYTES) await this.heavySteps.pass(size);
      requireAllowedParts(submission.content, size);
    }
    const recipients = await this.withoutSuppressed(submission, domainId);
    if (size > LIGHT_BYTES) await this.heavySteps.pass(size);
    return draftOf(submission, { id, domainId, recipients, lifetimeMs: this.lifetimeMs });
  }

  private async requireActiveDomain(submission: Submission): Promise<string> {
    const name = domainOf(submission.from.address);
    const { accountId, allowedDomains = null } = submission;
    const domain = await this.domains.active(accountId, name);
    if (allowedDomains !== null && !allowedDomains.has(domain?.id ?? (await this.idOf(accountId, name))))
      throw new Refusal(
        'restricted_api_key',
        [{ field: 'from', code: 'domain_not_allowed', message: 'must have an address at a domain of this API key' }],
        `This API key may not send from ${name}.`,
      );
    if (domain) return domain.id;
    throw new Refusal(
      'sender_domain_not_verified',
      [
        {
          field: 'from',
          code: 'domain_not_verified',
          message: `must have an address at a verified domain of this account; ${name} is not one`,
        },
      ],
      `The domain ${name} is not verified for this account. Add it and publish its SPF, DKIM and DMARC records first.`,
    );
  }

  /** Of a domain that is not active, to tell a key that may not use it from one that has to wait for it. */
  private async idOf(accountId: string, name: string): Promise<string> {
    const domains = await this.domains.list(accountId);
    return domains.find((domain) => domain.name === name)?.id ?? '';
  }

  private async withFetchedFiles(submission: Submission): Promise<Submission> {
    const { content } = submission;
    if (content.format === 'mime' || content.attachments.every((file) => file.path === undefined)) return submission;
    const room = LIMITS.messageBytes - sizeOf(submission);
    const attachments = await this.attachmentFetcher.fetchAll(content.attachments, room);
    return { ...submission, content: { ...content, attachments } };
  }

  private async withoutSuppressed(submission: Submission, domainId: string): Promise<Recipient[]> {
    const recipients = distinctRecipients(submission);
    // A test mail reaches nobody, so nobody needs to be spared it (D-66).
    if (submission.mode === 'test') return recipients;
    if (performance.now() - (submission.suppressionsAskedAt ?? -Infinity) < FRESH_ANSWER_MS) return recipients;
    const found = await this.suppressions.matching(
      submission.accountId,
      recipients.map((recipient) => recipient.normal),
      domainId,
    );
    if (found.size === 0) return recipients;
    const { suppressed } = submission;
    if (suppressed === 'skip' || (suppressed === 'skip_some' && found.size < recipients.length))
      return recipients.map((recipient) => ({ ...recipient, suppressed: found.get(recipient.normal) ?? null }));
    const details: RefusalDetail[] = recipients
      .filter((recipient) => found.has(recipient.normal))
      .map(({ field, address, normal }) => ({
        field,
        code: 'suppressed',
        message: `${address} is on the suppression list (${found.get(normal)})`,
      }));
    throw new Refusal('recipient_suppressed', details);
  }

  private async commit(drafts: Draft[], of: Pick<Parcel, 'partial' | 'idempotency' | 'answer'>): Promise<Written> {
    const { accountId } = drafts[0].submission;
    const packed = await inTurns(drafts, (draft) => this.pack(draft));
    try {
      const parcel: Parcel = {
        accountId,
        partial: of.partial,
        idempotency: of.idempotency,
        answer: of.answer,
        mails: packed.map((mail) => mail.rows),
        units: packed.map((mail) => mail.units),
        limit: packed.some((mail) => mail.units > 0) ? await this.allowances.limitOf(accountId) : null,
      };
      const group = bodyBytes(parcel) > HEAVY_BYTES ? this.heavyGroup : this.group;
      const written = await group.add(parcel);
      // Behind the answers: their clients go on while delivery begins.
      group.afterwards(() => this.handOver(packed, written));
      return written;
    } catch (error) {
      for (const { handOver } of packed) handOver.release();
      throw error;
    }
  }

  private handOver(packed: Packed[], { mails }: Written): void {
    for (const { rows, handOver } of packed) {
      if (mails.has(rows)) handOver.deliver();
      else handOver.release();
    }
    this.wakeups.ring('outbox');
  }

  private pack(draft: Draft): Packed {
    const handOver = reserveHandOver(draft, this.handOff, this.wakeups);
    const units = this.unitsOf(draft);
    return { rows: rowsOf(draft, units, handOver.workerId), units, handOver };
  }

  /** What the mail costs of the monthly allowance (D-53): nothing for tests, nothing for who does not get it. */
  private unitsOf({ submission, recipients }: Draft): number {
    if (submission.mode === 'test') return 0;
    const reached = recipients.filter((recipient) => recipient.suppressed === null).length;
    return this.allowances.unit === 'message' ? Math.min(1, reached) : reached;
  }
}

const bodyBytes = ({ mails }: Parcel): number => mails.reduce((sum, { content }) => sum + content.body.length, 0);

/** A permissive batch for none of whose mails the allowance sufficed is one in which all are bad (D-26). */
function refuseAll(drafts: readonly (Draft | Refusal)[], error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'monthly_quota_exceeded') throw error;
  throw new BatchRefusal(
    drafts.map((draft) => (draft instanceof Refusal ? draft : error)),
    true,
  );
}

/** @throws Refusal: types and executables, size. */
function requireAllowedParts({ attachments }: PartsContent, size: number): void {
  const problems = forbiddenAttachments(attachments);
  if (problems.length > 0)
    throw new Refusal(
      'attachment_not_allowed',
      problems.map((p) => ({ field: `attachments${p.path}`, code: p.code, message: p.message })),
    );
  if (size > LIMITS.messageBytes) throw mailTooLarge();
}
