import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Log, SecretBox } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { OVERLAP_HOURS, overlapHoursRule } from './webhook-rules.js';
import { SECRET_PREFIX } from './webhook-signature.js';

const SECRET_BYTES = 32;

/** Answer of a rotation; the new secret is shown here and never again. */
export interface RotatedSecret {
  id: string;
  object: 'webhook';
  secret: string;
  /** Until then calls carry signatures of both; null when the old one ended at once. */
  previous_secret_expires_at: string | null;
}

/**
 * The signing secrets of endpoints, sealed at rest. A ciphertext is bound to its row and to its place in the row (the
 * current or the previous secret), so that moving one is noticed.
 */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly log: Log,
  ) {}

  /** `whsec_` and the base64 of 32 random bytes, as Standard Webhooks writes its symmetric secrets. */
  make(webhookId: string): { secret: string; sealed: Buffer } {
    const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    return { secret, sealed: this.secretBox.seal(secret, webhookId) };
  }

  /** What signs a call, the current secret first. @throws when one was altered, moved, or sealed under another MASTER_KEY. */
  open(sealed: { webhookId: string; current: Buffer; previous: Buffer | null }): string[] {
    const current = this.secretBox.open(sealed.current, sealed.webhookId);
    return sealed.previous === null
      ? [current]
      : [current, this.secretBox.open(sealed.previous, asPrevious(sealed.webhookId))];
  }

  /** The current secret in the clear, for doors whose clients expect to see it; null: no such endpoint in this account. */
  async reveal(accountId: string, webhookId: string): Promise<string | null> {
    const { rows } = await this.database.query<{ secret_sealed: Buffer }>(
      'SELECT secret_sealed FROM webhooks WHERE id = $1 AND account_id = $2',
      [webhookId, accountId],
    );
    return rows.length === 0 ? null : this.secretBox.open(rows[0].secret_sealed, webhookId);
  }

  /**
   * A new secret; the old one goes on signing beside it for `overlapHours` (D-37). Null: no such endpoint in this
   * account. @throws Refusal `validation_error`
   */
  async rotate(
    accountId: string,
    webhookId: string,
    overlapHours: number = OVERLAP_HOURS.default,
  ): Promise<RotatedSecret | null> {
    const [problem] = overlapHoursRule(overlapHours);
    if (problem)
      throw new Refusal('validation_error', [{ field: 'overlap_hours', code: problem.code, message: problem.message }]);
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ secret_sealed: Buffer }>(
        'SELECT secret_sealed FROM webhooks WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE',
        [webhookId, accountId],
      );
      if (rows.length === 0) return null;
      const previous = overlapHours > 0 ? this.resealed(rows[0].secret_sealed, webhookId) : null;
      const { secret, sealed } = this.make(webhookId);
      const written = await tx.query<{ previous_secret_until: Date | null }>(
        `UPDATE webhooks
            SET secret_sealed = $3, previous_secret_sealed = $4, updated_at = now(),
                previous_secret_until = CASE WHEN $4::bytea IS NOT NULL THEN now() + make_interval(hours => $5::int) END
          WHERE id = $1 AND account_id = $2
        RETURNING previous_secret_until`,
        [webhookId, accountId, sealed, previous, overlapHours],
      );
      const until = written.rows[0].previous_secret_until?.toISOString() ?? null;
      return { id: webhookId, object: 'webhook', secret, previous_secret_expires_at: until };
    });
  }

  /** A secret that cannot be read any more cannot sign either: rotation is the way out, and must not fail for it. */
  private resealed(current: Buffer, webhookId: string): Buffer | null {
    try {
      return this.secretBox.seal(this.secretBox.open(current, webhookId), asPrevious(webhookId));
    } catch (error) {
      this.log.error('a signing secret cannot be read and ends with its rotation', error, { webhook: webhookId });
      return null;
    }
  }
}

const asPrevious = (webhookId: string) => `${webhookId} previous`;
