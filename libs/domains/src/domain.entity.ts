import type { Finding } from './verification/finding.js';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

export type DomainStatus = 'pending' | 'active' | 'failed';
export const TLS_POLICIES = ['opportunistic', 'enforced'] as const;
export type TlsPolicy = (typeof TLS_POLICIES)[number];

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

  /** The operator answers for this domain: active without DNS, never re-checked. */
  @Column('boolean')
  vouched: boolean;

  /** The name of this entry in DNS, of which the selectors of its keys are made. */
  @Column('text')
  selector: string;

  @Column('boolean', { name: 'open_tracking' })
  openTracking: boolean;

  @Column('boolean', { name: 'click_tracking' })
  clickTracking: boolean;

  @Column('text')
  tls: TlsPolicy;

  /** What the last checks found, one entry per record. */
  @Column('jsonb')
  findings: Finding[];

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  @Column('timestamptz', { name: 'verified_at', nullable: true })
  verifiedAt: Date | null;

  /** Since when a required record of an active domain is lost. */
  @Column('timestamptz', { name: 'warning_since', nullable: true })
  warningSince: Date | null;

  /** When DNS is looked at next; null: never again. */
  @Column('timestamptz', { name: 'due_at', nullable: true, select: false })
  dueAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
