import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WebhookFlavour } from './webhook-flavour.js';

/** Why an endpoint gets nothing: its address answered 410; three days without a success; somebody said so. */
export type DisabledReason = 'gone' | 'failing' | 'manual';

/** An endpoint of a customer. Deliveries live in `webhook_deliveries`, attempts in `webhook_attempts`. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  url: string;

  @Column('text', { array: true })
  events: string[];

  @Column('text', { name: 'domain_ids', array: true, nullable: true })
  domainIds: string[] | null;

  @Column('text', { default: 'native' })
  flavour: WebhookFlavour;

  @Column('text', { default: 'enabled' })
  status: 'enabled' | 'disabled';

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;

  /** The first failed attempt after the last success. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince: Date | null;

  /** The signing secret under SecretBox; see `WebhookSecrets` for what it is bound to. */
  @Column('bytea', { name: 'secret_sealed', select: false })
  secretSealed: Buffer;

  /** Until when the secret before the last rotation goes on signing. */
  @Column('timestamptz', { name: 'previous_secret_until', nullable: true })
  previousSecretUntil: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
