import type { Mode, Permission, Scope } from '#libs/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  name: string;

  /** HMAC-SHA-256 of the token under the pepper; the token itself is not stored. */
  @Column('bytea')
  fingerprint: Buffer;

  /** The first characters of the token, for display. */
  @Column('text')
  hint: string;

  @Column('text')
  mode: Mode;

  /** Null for a key with individual `scopes`. */
  @Column('text', { nullable: true })
  permission: Permission | null;

  @Column('text', { array: true, nullable: true })
  scopes: Scope[] | null;

  /** Domains that the key may send from and whose data it sees; null for all domains of the account. */
  @Column('text', { name: 'domain_ids', array: true, nullable: true })
  domainIds: string[] | null;

  /** Networks in the form of `AddressRanges.normalise`; null for all. */
  @Column('text', { name: 'allowed_ips', array: true, nullable: true })
  allowedIps: string[] | null;

  @Column('boolean')
  enabled: boolean;

  /** An imported token in our format without a valid checksum, which is accepted nevertheless. */
  @Column('boolean', { name: 'checksum_exempt' })
  checksumExempt: boolean;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /** The API key or user that created it; null for the operator. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
