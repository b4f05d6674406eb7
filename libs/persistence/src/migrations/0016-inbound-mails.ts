import { TableMigration } from './table-migration.js';

/** What came in at the inbound door and is for the operator: mail to role addresses, and reports that nobody could read. */
export class InboundMails0016 extends TableMigration {
  readonly name = 'InboundMails1700000000016';

  protected readonly forward = [
    // `verdict`: what became of it; `note`: why, in words; `email_id`: the mail it speaks of, where that is known.
    `CREATE TABLE inbound_mails (
       id text COLLATE "C" PRIMARY KEY,
       received_at timestamptz NOT NULL,
       mail_from text NOT NULL,
       rcpt_to text[] NOT NULL,
       remote_ip text NOT NULL,
       subject text,
       verdict text NOT NULL,
       note text,
       email_id text COLLATE "C",
       size int NOT NULL,
       raw bytea NOT NULL)`,
    'ALTER TABLE inbound_mails ALTER COLUMN raw SET STORAGE EXTERNAL',
  ];

  protected readonly back = ['DROP TABLE inbound_mails'];
}
