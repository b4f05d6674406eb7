import type { SendingPause } from '#libs/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Requests of blocked and overdue accounts are refused with 403; their data is kept. */
export const STANDINGS = ['active', 'blocked', 'overdue'] as const;
export type Standing = (typeof STANDINGS)[number];

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  standing: Standing;

  /** `free`, `unlimited`, or a number of units per month. */
  @Column('text')
  plan: string;

  /** Receive notices of the service. */
  @Column('text', { name: 'notify_addresses', array: true })
  notifyAddresses: string[];

  /** Null unless submissions are refused because of bounces or complaints. */
  @Column('jsonb', { name: 'sending_pause', nullable: true })
  sendingPause: SendingPause | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
