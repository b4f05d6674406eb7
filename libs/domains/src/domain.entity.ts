import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

export type DomainStatus = 'pending' | 'active' | 'failed';

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

  /** Of the RSA key; see `ed25519Selector` for the other. */
  @Column('text')
  selector: string;

  /** PKCS#8 in PEM, sealed under `<id>:rsa`. Left out of every read but the one that signs. */
  @Column('bytea', { name: 'rsa_private_sealed', select: false })
  rsaPrivateSealed: Buffer;

  @Column('text', { name: 'rsa_public' })
  rsaPublic: string;

  /** Sealed under `<id>:ed25519`. */
  @Column('bytea', { name: 'ed25519_private_sealed', select: false })
  ed25519PrivateSealed: Buffer;

  @Column('text', { name: 'ed25519_public' })
  ed25519Public: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
