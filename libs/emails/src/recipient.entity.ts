import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmailStatus, RecipientType } from '#libs/contracts';

/** One recipient of one mail: the unit of delivery. */
@Entity('recipients')
export class RecipientEntity {
  @PrimaryColumn('text', { name: 'email_id' })
  emailId: string;
  @PrimaryColumn('smallint')
  ordinal: number;
  @Column('text')
  address: string;
  @Column('text')
  type: RecipientType;
  @Column('text')
  status: EmailStatus;
  @Column('smallint')
  attempts: number;
  @Column('timestamptz', { name: 'due_at', nullable: true })
  dueAt: Date | null;
  @Column('smallint', { name: 'smtp_code', nullable: true })
  smtpCode: number | null;
  @Column('text', { name: 'smtp_enhanced', nullable: true })
  smtpEnhanced: string | null;
  @Column('text', { name: 'smtp_text', nullable: true })
  smtpText: string | null;
  @Column('text', { nullable: true })
  mx: string | null;
  @Column('text', { nullable: true })
  ip: string | null;
  @Column('text', { nullable: true })
  tls: string | null;
}
