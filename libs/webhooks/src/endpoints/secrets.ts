import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Refusal, visibleDomains, type Visibility } from '#libs/contracts';
import { Log, SecretBox } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { OVERLAP_HOURS, overlapHoursRule } from './field-rules.js';
import { webhookIsVisible } from './visible-webhooks.js';
import { SECRET_PREFIX } from '../delivery/signature.js';
import type { RotatedSecret } from '../webhook.resource.js';

const SECRET_BYTES = 32;

/**
 * The signing secrets of endpoints, encrypted at rest. A ciphertext is bound to its row and column (the current or the
 * previous secret), so that a ciphertext that was moved does not decrypt.
 */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly log: Log,
  ) {}

  /** `whsec_` and the base64 of 32 random bytes, the form of symmetric secrets in Standard Webhooks. */
  create(webhookId: string): { secret: string; sealed: Buffer } {
    const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    return { secret, sealed: this.secretBox.seal(secret, webhookId) };
  }

  /**
   * The secrets that sign a request, the current one first.
   * @throws when a ciphertext was altered or moved, or belongs to another MASTER_KEY
   */
  open(sealed: { webhookId: string; current: Buffer; previous: Buffer | null }): string[] {
    const current = this.secretBox.open(sealed.current, sealed.webhookId);
    return sealed.previous === null
      ? [current]
      : [current, this.secretBox.open(sealed.previous, asPrevious(sealed.webhookId))];
  }

  /** The current secret, for APIs that show it; null if the key sees no such endpoint. */
  async reveal(visibility: Visibility, webhookId: string): Promise<string | null> {
    const { rows } = await this.database.query<{ secret_sealed: Buffer }>(
      `SELECT secret_sealed FROM webhooks WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}`,
      [webhookId, visibility.accountId, visibleDomains(visibility)],
    );
    return rows.length === 0 ? null : this.secretBox.open(rows[0].secret_sealed, webhookId);
  }

  /**
   * Creates a new secret; the old one signs as well for `overlapHours`. Null if the key sees no such endpoint.
   * @throws Refusal `validation_error`
   */
  async rotate(
    visibility: Visibility,
    webhookId: string,
    overlapHours: number = OVERLAP_HOURS.default,
  ): Promise<RotatedSecret | null> {
    const [problem] = overlapHoursRule(overlapHours);
    if (problem)
      throw new Refusal('validation_error', [{ field: 'overlap_hours', code: problem.code, message: problem.message }]);
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ secret_sealed: Buffer }>(
        `SELECT secret_sealed FROM webhooks WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)} FOR NO KEY UPDATE`,
        [webhookId, visibility.accountId, visibleDomains(visibility)],
      );
      if (rows.length === 0) return null;
      const previous = overlapHours > 0 ? this.resealAsPrevious(rows[0].secret_sealed, webhookId) : null;
      const { secret, sealed } = this.create(webhookId);
      const written = await tx.query<{ previous_secret_until: Date | null }>(
        `UPDATE webhooks
            SET secret_sealed = $3, previous_secret_sealed = $4, updated_at = now(),
                previous_secret_until = CASE WHEN $4::bytea IS NOT NULL THEN now() + make_interval(hours => $5::int) END
          WHERE id = $1 AND account_id = $2
        RETURNING previous_secret_until`,
        [webhookId, visibility.accountId, sealed, previous, overlapHours],
      );
      const until = written.rows[0].previous_secret_until?.toISOString() ?? null;
      return { id: webhookId, object: 'webhook', secret, previous_secret_expires_at: until };
    });
  }

  /** Null for a secret that cannot be decrypted: it cannot sign either, and rotation must not fail because of it. */
  private resealAsPrevious(current: Buffer, webhookId: string): Buffer | null {
    try {
      return this.secretBox.seal(this.secretBox.open(current, webhookId), asPrevious(webhookId));
    } catch (error) {
      this.log.error('a signing secret cannot be decrypted; its rotation leaves no previous secret', error, {
        webhook: webhookId,
      });
      return null;
    }
  }
}

const asPrevious = (webhookId: string) => `${webhookId} previous`;
