import { isId, Refusal } from '#libs/contracts';
import { Config, SecretBox, Wakeups } from '#libs/kernel';
import { appendEvents, Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { domainEvent, type DomainEventReason } from '../domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from '../domain-row.js';
import { presentDomain, type DomainView } from '../domain-view.js';
import { freePlace, keysIn, obstacleTo, switched, type KeyRing } from './key-ring.js';
import { insertKeys, storeRing } from './key-rows.js';
import { KeySupply } from './key-supply.js';
import { newKeys } from './new-keys.js';

type LockedRow = DomainRow & { sequence: number; now: Date };

/** Whose domain; and what must be written in the same transaction, such as the audit log. */
export interface RotationRequest {
  accountId: string;
  id: string;
  alongside?: (tx: Queryable) => Promise<void>;
}

const LOCK = 'SELECT id FROM domains WHERE id = $2 AND account_id = $1 FOR UPDATE';
const READ = `SELECT ${DOMAIN_COLUMNS}, sequence, now() AS now FROM domains WHERE id = $2 AND account_id = $1`;

/** What was seen of the keys before is of the past, as is a check under way: its fence is gone. */
const TOUCH = `
  UPDATE domains
     SET findings = coalesce((SELECT jsonb_agg(f) FROM jsonb_array_elements(findings) AS f
                               WHERE f ->> 'slot' NOT LIKE '%\\_next'), '[]'),
         fence = fence + 1, sequence = sequence + 1, updated_at = now(),
         due_at = CASE WHEN $2 THEN now() ELSE due_at END
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}, sequence, now() AS now`;

/**
 * New DKIM keys for domains. A rotation begins here; it goes on by itself (`DomainVerifier`) once DNS proves that the
 * next records stand, whether the owner published them or an alias leads to where the service did.
 */
@Injectable()
export class DkimRotation {
  private readonly supply = new KeySupply();

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
  ) {}

  /**
   * Makes the next keys, an RSA and an Ed25519 one, whose records are to be published. Null for an unknown id and for
   * another account's.
   * @throws Refusal conflict while a rotation is under way, the last is not over, or the domain is not active.
   */
  async rotate(request: RotationRequest): Promise<DomainView | null> {
    const { accountId, id } = request;
    const before = await this.read(accountId, id);
    if (before === null) return null;
    assertRotatable(before);
    // Costly, so not under a lock; once more inside it.
    const keys = await newKeys(id, this.supply, this.secretBox);
    return this.change(request, 'dkim_rotating', async (tx, domain) => {
      assertRotatable(domain);
      const place = freePlace(domain.keys, domain.selector);
      await insertKeys(tx, { id, selector: domain.selector, place, state: 'next' }, keys);
    });
  }

  /**
   * Gives up the next keys before they signed anything.
   * @throws Refusal conflict when there are none.
   */
  cancel(request: RotationRequest): Promise<DomainView | null> {
    return this.change(request, 'dkim_canceled', async (tx, domain) => {
      assertPending(domain);
      const kept = domain.keys.filter(({ state }) => state !== 'next');
      await storeRing(tx, domain, kept);
    });
  }

  /**
   * The next keys of a domain that the operator vouches for sign at once: he answers for its records, these included.
   * @throws Refusal conflict for any other domain, and where no next keys are.
   */
  force(request: RotationRequest): Promise<DomainView | null> {
    return this.change(request, 'dkim_switched', async (tx, domain) => {
      if (!domain.vouched)
        throw conflict('not_vouched', 'Only DNS can switch the keys of a domain that the operator does not vouch for.');
      assertPending(domain);
      await storeRing(tx, domain, switched(domain.keys, domain.now));
    });
  }

  private async read(accountId: string, id: string): Promise<LockedRow | null> {
    if (!isId('dom', id)) return null;
    return (await this.database.query<LockedRow>(READ, [accountId, id])).rows.at(0) ?? null;
  }

  private async change(
    { accountId, id, alongside }: RotationRequest,
    reason: DomainEventReason,
    deed: (tx: Queryable, domain: LockedRow) => Promise<void>,
  ): Promise<DomainView | null> {
    if (!isId('dom', id)) return null;
    const { SERVICE_DOMAIN } = this.config.settings;
    const changed = await this.database.transaction(async (tx) => {
      // First the lock, then a statement of its own that sees what the last holder of it wrote.
      if ((await tx.query(LOCK, [accountId, id])).rowCount === 0) return null;
      const before = (await tx.query<LockedRow>(READ, [accountId, id])).rows[0];
      await deed(tx, before);
      const { rows } = await tx.query<LockedRow>(TOUCH, [id, reason !== 'dkim_canceled']);
      const of = { type: 'domain.updated' as const, reason, sequence: rows[0].sequence, at: rows[0].now };
      await appendEvents(tx, [domainEvent(rows[0], SERVICE_DOMAIN, of)]);
      await alongside?.(tx);
      return rows[0];
    });
    if (changed === null) return null;
    this.wakeups.ring('due-domains');
    this.wakeups.ring('outbox');
    return presentDomain(changed, SERVICE_DOMAIN);
  }
}

function assertRotatable({ status, keys }: DomainRow): void {
  if (status !== 'active') throw conflict('not_active', 'Keys can be rotated once the domain is active.');
  switch (obstacleTo(keys)) {
    case 'pending':
      throw conflict('rotation_pending', 'A rotation is under way already. Publish its records, or cancel it.');
    case 'retiring':
      throw conflict('rotation_too_soon', `The keys before these are kept until ${endOf(keys)}. Rotate after that.`);
    case null:
  }
}

function assertPending({ keys }: DomainRow): void {
  if (keysIn(keys, 'next').length === 0)
    throw conflict('not_rotating', 'There are no next keys: no rotation was begun, or it is over.');
}

const endOf = (keys: KeyRing): string => new Date(keysIn(keys, 'retired')[0].retireAt as string).toISOString();

const conflict = (code: string, sentence: string): Refusal =>
  new Refusal('conflict', [{ field: '', code, message: sentence }], sentence);
