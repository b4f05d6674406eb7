import { isId, Refusal, seesDomain, type Visibility } from '#libs/contracts';
import { Config, LocalNotifications, SecretBox } from '#libs/kernel';
import { outbox, Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { domainEvent, type DomainEventReason } from '../model/domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from '../model/domain-row.js';
import type { DomainView } from '../domain.resource.js';
import { toDomainView } from '../model/domain-view.js';
import { KeyPool } from './key-pool.js';
import { freeVariant, keysIn, rotationObstacle, switchToNextKeys, type KeyRing } from './key-ring.js';
import { insertKeys, storeKeyRing } from './key-rows.js';
import { newKeys } from './new-keys.js';

type LockedRow = DomainRow & { sequence: number; now: Date };

/** `alongside` makes further writes in the same transaction, such as the audit log. */
export interface RotationRequest {
  visibility: Visibility;
  id: string;
  alongside?: (tx: Queryable) => Promise<void>;
}

const LOCK = 'SELECT id FROM domains WHERE id = $2 AND account_id = $1 FOR UPDATE';
const READ = `SELECT ${DOMAIN_COLUMNS}, sequence, now() AS now FROM domains WHERE id = $2 AND account_id = $1`;

/** Drops findings about next keys, and invalidates a running check by a new fence. */
const INVALIDATE_CHECKS = `
  UPDATE domains
     SET findings = coalesce((SELECT jsonb_agg(f) FROM jsonb_array_elements(findings) AS f
                               WHERE f ->> 'slot' NOT LIKE '%\\_next'), '[]'),
         fence = fence + 1, sequence = sequence + 1, updated_at = now(),
         due_at = CASE WHEN $2 THEN now() ELSE due_at END
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}, sequence, now() AS now`;

/**
 * Starts and cancels the rotation of DKIM keys. `DomainVerifier` continues it when DNS confirms the next records, whether
 * the owner published them or an alias points to the records of the service.
 */
@Injectable()
export class DkimRotation {
  private readonly keyPool = new KeyPool();

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly notifications: LocalNotifications,
  ) {}

  /**
   * Creates the next keys, RSA and Ed25519, whose records are to be published. Null for an unknown id and for a
   * domain that the key does not see.
   * @throws Refusal conflict during a rotation, while replaced keys are kept, or if the domain is not active
   */
  async rotate(request: RotationRequest): Promise<DomainView | null> {
    const { id } = request;
    const before = await this.read(request);
    if (before === null) return null;
    assertRotatable(before);
    // Key generation is costly, so it happens outside the lock and the check is repeated inside.
    const keys = await newKeys(id, this.keyPool, this.secretBox);
    return this.change(request, 'dkim_rotating', async (tx, domain) => {
      assertRotatable(domain);
      const variant = freeVariant(domain.keys, domain.selector);
      await insertKeys(tx, { id, selector: domain.selector, variant, state: 'next' }, keys);
    });
  }

  /**
   * Removes the next keys before they have signed anything.
   * @throws Refusal conflict when there are none
   */
  cancel(request: RotationRequest): Promise<DomainView | null> {
    return this.change(request, 'dkim_canceled', async (tx, domain) => {
      assertPending(domain);
      const kept = domain.keys.filter(({ state }) => state !== 'next');
      await storeKeyRing(tx, domain, kept);
    });
  }

  /**
   * Switches to the next keys of a vouched domain at once: the operator vouches for their records too.
   * @throws Refusal conflict for any other domain, and where there are no next keys
   */
  force(request: RotationRequest): Promise<DomainView | null> {
    return this.change(request, 'dkim_switched', async (tx, domain) => {
      if (!domain.vouched)
        throw conflict('not_vouched', 'Only DNS can switch the keys of a domain that the operator does not vouch for.');
      assertPending(domain);
      await storeKeyRing(tx, domain, switchToNextKeys(domain.keys, domain.now));
    });
  }

  private async read({ visibility, id }: RotationRequest): Promise<LockedRow | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    return (await this.database.query<LockedRow>(READ, [visibility.accountId, id])).rows.at(0) ?? null;
  }

  private async change(
    { visibility, id, alongside }: RotationRequest,
    reason: DomainEventReason,
    work: (tx: Queryable, domain: LockedRow) => Promise<void>,
  ): Promise<DomainView | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    const { accountId } = visibility;
    const { SERVICE_DOMAIN } = this.config.settings;
    const changed = await this.database.transaction(async (tx) => {
      // A statement after the lock, so that it sees the changes of the previous holder.
      if ((await tx.query(LOCK, [accountId, id])).rowCount === 0) return null;
      const before = (await tx.query<LockedRow>(READ, [accountId, id])).rows[0];
      await work(tx, before);
      const { rows } = await tx.query<LockedRow>(INVALIDATE_CHECKS, [id, reason !== 'dkim_canceled']);
      const of = { type: 'domain.updated' as const, reason, sequence: rows[0].sequence, at: rows[0].now };
      await outbox.append(tx, [domainEvent(rows[0], SERVICE_DOMAIN, of)]);
      await alongside?.(tx);
      return rows[0];
    });
    if (changed === null) return null;
    this.notifications.notify('due-domains');
    this.notifications.notify('outbox');
    return toDomainView(changed, this.config.settings);
  }
}

function assertRotatable({ status, keys }: DomainRow): void {
  if (status !== 'active') throw conflict('not_active', 'Keys can be rotated once the domain is active.');
  switch (rotationObstacle(keys)) {
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
