import { TableMigration } from './table-migration.js';

/** TLS sessions with receiving servers, counted by day for the reports of RFC 8460, and the reports themselves. */
export class TlsReports0013 extends TableMigration {
  readonly name = 'TlsReports1700000000013';

  protected readonly forward = [
    // One row per kind of session; `kind` is a hash of all columns between the domain and the count.
    `CREATE TABLE tls_results (
       day date NOT NULL,
       policy_domain text COLLATE "C" NOT NULL,
       kind bytea NOT NULL,
       result jsonb NOT NULL,
       sessions integer NOT NULL,
       PRIMARY KEY (day, policy_domain, kind))`,
    `CREATE TABLE tls_reports (
       day date NOT NULL,
       policy_domain text COLLATE "C" NOT NULL,
       state text NOT NULL CHECK (state IN ('claimed', 'sent', 'unwanted', 'failed')),
       tries smallint NOT NULL DEFAULT 1,
       tried_at timestamptz NOT NULL DEFAULT now(),
       detail text,
       PRIMARY KEY (day, policy_domain))`,
  ];

  protected readonly back = ['DROP TABLE tls_reports', 'DROP TABLE tls_results'];
}
