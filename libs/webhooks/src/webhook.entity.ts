import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An endpoint of a customer. Deliveries live in `webhook_deliveries`, which only `WebhookLedger` writes. */
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

  @Column('text', { default: 'enabled' })
  status: 'enabled' | 'disabled';

  /** The signing secret under SecretBox, bound to `id`. */
  @Column('bytea', { name: 'secret_sealed', select: false })
  secretSealed: Buffer;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;
}
