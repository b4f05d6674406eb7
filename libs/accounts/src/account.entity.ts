import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** May the account use the service? A blocked or overdue account keeps its data and is answered 403. */
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

  /** `free`, `unlimited`, or a number of mails per month. */
  @Column('text')
  plan: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
