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

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
