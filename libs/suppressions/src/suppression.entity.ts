import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { SuppressionEvidence } from './suppression-evidence.js';

export const SUPPRESSION_ORIGINS = ['bounce', 'complaint', 'manual', 'unsubscribe'] as const;
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number];

@Entity('suppressions')
export class SuppressionEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  /** As `normaliseAddress` of mime leaves it: trimmed, lower case, domain as A-labels. */
  @Column('text')
  address: string;

  /** The sending domain whose mail it stops; null: all mail of the account. */
  @Column('text', { name: 'domain_id', nullable: true })
  domainId: string | null;

  @Column('text')
  origin: SuppressionOrigin;

  @Column('text', { nullable: true })
  reason: string | null;

  /** The mail that led here. */
  @Column('text', { name: 'source_id', nullable: true })
  sourceId: string | null;

  @Column('jsonb', { nullable: true })
  evidence: SuppressionEvidence | null;

  /** From then on the entry stops nothing; null: it stays. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
