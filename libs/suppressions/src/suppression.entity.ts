import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

export const SUPPRESSION_ORIGINS = ['bounce', 'complaint', 'manual', 'unsubscribe'] as const;
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number];

/** The observation that led to an entry; fields that do not apply are null. */
export interface SuppressionEvidence {
  /** The message that bounced or was complained about. */
  email_id: string | null;
  recipient: string;
  /** The reply of the receiving server: RFC 5321 code, RFC 3463 code, text, host name. */
  smtp_code: number | null;
  enhanced_code: string | null;
  text: string | null;
  mx: string | null;
  /** RFC 5965 §7.3: abuse, fraud, … */
  feedback_type: string | null;
  /** ISO 8601 UTC. */
  at: string;
}

@Entity('suppressions')
export class SuppressionEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  /** In the form of `normaliseAddress` of mime: trimmed, lower case, the domain in A-labels. */
  @Column('text')
  address: string;

  /** The sending domain that the entry applies to; null for all mail of the account. */
  @Column('text', { name: 'domain_id', nullable: true })
  domainId: string | null;

  @Column('text')
  origin: SuppressionOrigin;

  @Column('text', { nullable: true })
  reason: string | null;

  /** The message that led to the entry. */
  @Column('text', { name: 'source_id', nullable: true })
  sourceId: string | null;

  @Column('jsonb', { nullable: true })
  evidence: SuppressionEvidence | null;

  /** The entry has no effect after this time; null for a permanent entry. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
