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

  /** HMAC-SHA-256 of the token under the pepper; the token itself is stored nowhere. */
  @Column('bytea')
  fingerprint: Buffer;

  /** The first characters of the token, by which people tell their keys apart. */
  @Column('text')
  hint: string;

  @Column('text')
  mode: Mode;

  /** Null where the key has `scopes` of its own choice. */
  @Column('text', { nullable: true })
  permission: Permission | null;

  @Column('text', { array: true, nullable: true })
  scopes: Scope[] | null;

  /** The only domains that it may send from; null: every domain of the account. */
  @Column('text', { name: 'domain_ids', array: true, nullable: true })
  domainIds: string[] | null;

  /** Networks in the form of `AddressRanges.normalise`; null: from anywhere. */
  @Column('text', { name: 'allowed_ips', array: true, nullable: true })
  allowedIps: string[] | null;

  @Column('boolean')
  enabled: boolean;

  /** An imported token that has our form but not our checksum, and is honoured all the same. */
  @Column('boolean', { name: 'checksum_exempt' })
  checksumExempt: boolean;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
