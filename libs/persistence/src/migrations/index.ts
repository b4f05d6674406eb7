import type { MigrationInterface, QueryRunner } from 'typeorm';
import { INITIAL } from './0001-initial/index.js';
import { INSTALLATION } from './0002-installation.js';
import { LEASES } from './0003-leases.js';
import { PROVED_REPORTS } from './0004-proved-reports.js';
import { KEY_VISIBILITY } from './0005-key-visibility.js';
import { TRACKING } from './0006-tracking.js';
import { WEBHOOKS_AT_SCALE } from './0007-webhooks-at-scale.js';
import { BRAKES } from './0008-brakes.js';
import { KAFKA_RELAY } from './0009-kafka-relay.js';
import { USERS } from './0013-users.js';
import { OPERATOR } from './0014-operator.js';
import { DOMAIN_RETENTION } from './0015-domain-retention.js';
import { RECIPIENT_DOMAINS } from './0016-recipient-domains.js';
import { LOGIN_MAIL } from './0017-login-mail.js';
import { PEOPLE } from './0019-people.js';
import { UNICODE_FORMS } from './0020-unicode-forms.js';
import { DATA_AT_SCALE } from './0021-data-at-scale.js';
import { STATISTICS_RECORD } from './0022-statistics-record.js';
import { SERVICE_DOMAIN } from './0024-service-domain.js';
import { CLOCK } from './0025-clock.js';
import { SERVICE_STATE } from './0026-service-state.js';
import { SEARCH_SEGMENTS } from './0027-search-segments.js';
import { ANALYST } from './0029-analyst.js';
import { ACCOUNT_TURNS } from './0030-account-turns.js';
import { PRIORITY } from './0031-priority.js';
import { KEPT_ROWS } from './0033-kept-rows.js';
import { VACUUM } from './0034-vacuum.js';
import { CONSUMER_SHARDS } from './0035-consumer-shards.js';
import { PENALTY_POOL } from './0037-penalty-pool.js';
import { CONTENT_STORE } from './0039-content-store.js';
import { BACKUP } from './0042-backup.js';
import { CERTIFICATES } from './0046-certificates.js';
import { MASTER_KEYS } from './0047-master-keys.js';
import { TRACE_CONTEXT } from './0050-trace-context.js';
import { LOCK_TIMEOUT, runOnline, type OnlineStep } from './online.js';

/**
 * `statements` run in one transaction, so they must be short whatever the number of rows: new tables, columns with constant
 * defaults, small tables. Everything else is `online`.
 */
type Change = { name: string } & ({ statements: readonly string[] } | { online: readonly OnlineStep[] });

/** In order. A released migration is never changed; the name of number N ends in 1700000000000 + N. */
export const CHANGES: readonly Change[] = [
  INITIAL,
  INSTALLATION,
  LEASES,
  PROVED_REPORTS,
  KEY_VISIBILITY,
  TRACKING,
  WEBHOOKS_AT_SCALE,
  BRAKES,
  KAFKA_RELAY,
  USERS,
  OPERATOR,
  DOMAIN_RETENTION,
  RECIPIENT_DOMAINS,
  LOGIN_MAIL,
  PEOPLE,
  UNICODE_FORMS,
  DATA_AT_SCALE,
  STATISTICS_RECORD,
  SERVICE_DOMAIN,
  CLOCK,
  SERVICE_STATE,
  SEARCH_SEGMENTS,
  ANALYST,
  ACCOUNT_TURNS,
  PRIORITY,
  KEPT_ROWS,
  VACUUM,
  CONSUMER_SHARDS,
  PENALTY_POOL,
  CONTENT_STORE,
  BACKUP,
  CERTIFICATES,
  MASTER_KEYS,
  TRACE_CONTEXT,
];

/** The table in which TypeORM records applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** Tables of the service, whether or not a later migration drops them. */
export const OWN_TABLES: readonly string[] = CHANGES.flatMap((change) =>
  ('statements' in change ? change.statements : []).flatMap((text) =>
    [...text.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, name]) => name),
  ),
);

/** As TypeORM takes them: it orders migrations by the thirteen digits at the end of the name. */
export const MIGRATIONS = CHANGES.map(
  (change) =>
    class implements MigrationInterface {
      readonly name = change.name;
      /** Undefined: the default of the call, which is one transaction per migration. */
      readonly transaction = 'online' in change ? false : undefined;

      async up(db: QueryRunner): Promise<void> {
        if ('online' in change) return runOnline(db, change.online);
        await db.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        for (const statement of change.statements) await db.query(statement);
      }

      down(): Promise<void> {
        return Promise.reject(new Error('A migration cannot be reverted. Restore a backup.'));
      }
    },
);
