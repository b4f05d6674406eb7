import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { Finding } from '../verification/finding.js';

export type DomainStatus = 'pending' | 'active' | 'failed';
export const TLS_POLICIES = ['opportunistic', 'enforced'] as const;
export type TlsPolicy = (typeof TLS_POLICIES)[number];
/** `per_recipient`: each recipient has an SMTP transaction, and so a return path, of its own. */
export const ENVELOPE_POLICIES = ['shared', 'per_recipient'] as const;
export type EnvelopePolicy = (typeof ENVELOPE_POLICIES)[number];

@Entity('domains')
export class DomainEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  /** Lower-case A-labels. */
  @Column('text')
  name: string;

  @Column('text')
  status: DomainStatus;

  /** The operator vouches for this domain: it is active without DNS checks. */
  @Column('boolean')
  vouched: boolean;

  /** The base of the DKIM selectors of this entry. */
  @Column('text')
  selector: string;

  @Column('boolean', { name: 'open_tracking' })
  openTracking: boolean;

  @Column('boolean', { name: 'click_tracking' })
  clickTracking: boolean;

  /** Opens and clicks are recorded without address and user agent. */
  @Column('boolean', { name: 'tracking_privacy' })
  trackingPrivacy: boolean;

  /** Patterns of links that are not tracked, see `linkPatternRule`. */
  @Column('text', { name: 'tracking_exclude', array: true })
  trackingExclude: string[];

  /** Days after which the content of messages is deleted; null: the period of the service. */
  @Column('smallint', { name: 'body_retention_days', nullable: true })
  bodyRetentionDays: number | null;

  /** Days after which captured messages are deleted; null: the period of the service. */
  @Column('smallint', { name: 'captured_retention_days', nullable: true })
  capturedRetentionDays: number | null;

  @Column('text')
  tls: TlsPolicy;

  @Column('text')
  envelope: EnvelopePolicy;

  /** The results of the last checks, one for each record. */
  @Column('jsonb')
  findings: Finding[];

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  @Column('timestamptz', { name: 'verified_at', nullable: true })
  verifiedAt: Date | null;

  /** The time at which a required record of the active domain was lost. */
  @Column('timestamptz', { name: 'warning_since', nullable: true })
  warningSince: Date | null;

  /** The time of the next check; null: none. */
  @Column('timestamptz', { name: 'due_at', nullable: true, select: false })
  dueAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
