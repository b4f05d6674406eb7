import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmailStatus, LastEvent, Mode } from '#libs/contracts';

/** A mail as it was accepted and how it stands. Written by intake and ledger with their own statements; read here. */
@Entity('emails')
export class EmailEntity {
  @PrimaryColumn('text')
  id: string;
  @Column('text', { name: 'account_id' })
  accountId: string;
  @Column('text', { name: 'domain_id' })
  domainId: string;
  @Column('text')
  mode: Mode;
  @Column('text')
  source: string;
  @Column('text')
  status: EmailStatus;
  @Column('text', { name: 'last_event' })
  lastEvent: LastEvent;
  @Column('text')
  sender: string;
  @Column('text', { name: 'header_to', array: true })
  to: string[];
  @Column('text', { name: 'header_cc', array: true })
  cc: string[];
  @Column('text', { name: 'header_bcc', array: true })
  bcc: string[];
  @Column('text', { name: 'reply_to', array: true })
  replyTo: string[];
  @Column('text')
  subject: string;
  @Column('jsonb')
  tags: Record<string, string>;
  @Column('text', { name: 'message_id' })
  messageId: string;
  @Column('integer')
  size: number;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
  @Column('timestamptz', { name: 'scheduled_at', nullable: true })
  scheduledAt: Date | null;
  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt: Date | null;
}
