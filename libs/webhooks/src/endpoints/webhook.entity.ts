import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PayloadFormat } from '../fan-out/payload-format.js';

/** `gone`: the endpoint responded with 410. `failing`: three days without a success. `manual`: disabled by the customer. */
export type DisabledReason = 'gone' | 'failing' | 'manual';

/** An endpoint of a customer. Deliveries are in `webhook_deliveries`, attempts in `webhook_attempts`. */
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

  /** The endpoint receives the opens and clicks of bots as well. */
  @Column('boolean', { name: 'include_bots', default: false })
  includeBots: boolean;

  @Column('text', { name: 'payload_format', default: 'native' })
  payloadFormat: PayloadFormat;

  @Column('text', { default: 'enabled' })
  status: 'enabled' | 'disabled';

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;

  /** The first failed attempt after the last success. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince: Date | null;

  /** The encrypted signing secret, see `WebhookSecrets`. */
  @Column('bytea', { name: 'secret_sealed', select: false })
  secretSealed: Buffer;

  /** The secret before the last rotation signs as well until this time. */
  @Column('timestamptz', { name: 'previous_secret_until', nullable: true })
  previousSecretUntil: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
