import { describe, expect, it } from 'vitest';
import { CHANGES } from './index.js';

/** The last migration of 0.1.0. Databases of released versions have these; what they do to a table is done. */
const RELEASED = 1_700_000_000_025;
/** Tables whose rows an installation counts in hundreds of millions, or that each accept writes. */
const LARGE = [
  ...['attempts', 'captured_messages', 'email_contents', 'email_tags', 'emails', 'event_log', 'event_log_accounts'],
  ...['idempotency_keys', 'inbound_messages', 'outbox', 'recipient_visits', 'recipients', 'request_log'],
  ...['search_segments', 'suppressions', 'webhook_attempts', 'webhook_deliveries'],
].join('|');

/** What would keep others from a large table until it has read or written all rows. */
const BLOCKING: Record<string, RegExp> = {
  'CREATE INDEX without CONCURRENTLY': new RegExp(
    `CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^(]*\\bON (?:${LARGE})\\b`,
  ),
  'UPDATE of all rows': new RegExp(`\\bUPDATE (?:ONLY )?(?:${LARGE})\\b`),
  'DELETE of many rows': new RegExp(`\\bDELETE FROM (?:${LARGE})\\b`),
  'a new type of a column': new RegExp(
    `ALTER TABLE (?:${LARGE})\\b[^;]*\\bALTER (?:COLUMN )?\\w+ (?:SET DATA )?TYPE\\b`,
  ),
  'a scan for NULL': new RegExp(`ALTER TABLE (?:${LARGE})\\b[^;]*\\bSET NOT NULL\\b`),
  'a constraint that is checked at once': new RegExp(
    `ALTER TABLE (?:${LARGE})\\b[^;]*\\bADD (?:CONSTRAINT \\w+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)\\b(?![^;]*NOT VALID)`,
  ),
  'a default of each row': new RegExp(
    `ALTER TABLE (?:${LARGE})\\b[^;]*\\bADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT)\\w+ [^,;]*\\b(?:DEFAULT \\w+ ?\\(|GENERATED|SERIAL)`,
  ),
  'a rewrite': new RegExp(
    `(?:VACUUM FULL|CLUSTER|REFRESH MATERIALIZED VIEW|ALTER TABLE (?:${LARGE})\\b[^;]*SET (?:LOGGED|UNLOGGED|TABLESPACE))`,
  ),
};

const blocking = (sql: string): string[] =>
  Object.entries(BLOCKING).flatMap(([what, pattern]) =>
    pattern.test(sql.replaceAll(/--.*$|\s+/gm, ' ')) ? [what] : [],
  );

const numberOf = (name: string): number => Number(name.slice(-13));
const created = (sql: string): string[] => [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);

describe('a migration after 0.1.0', () => {
  it.each(CHANGES.filter(({ name }) => numberOf(name) > RELEASED))('$name blocks no accept for long', (change) => {
    const statements =
      'statements' in change ? change.statements : change.online.filter((step) => typeof step === 'string');
    const own = statements.flatMap(created);
    const found = statements.flatMap((sql) =>
      own.some((table) => new RegExp(`\\b${table}\\b`).test(sql)) ? [] : blocking(sql).map((what) => ({ what, sql })),
    );
    expect(found).toEqual([]);
  });

  it.each(CHANGES.flatMap((change) => ('online' in change ? [change] : [])))('$name can be repeated', ({ online }) => {
    const once = online.filter((step) => typeof step === 'string' && !/\bIF (?:NOT )?EXISTS\b/.test(step));
    expect(once).toEqual([]);
  });
});

describe('the rules', () => {
  it.each([
    ['CREATE INDEX recipients_x ON recipients (mx)', 'CREATE INDEX without CONCURRENTLY'],
    ['CREATE UNIQUE INDEX x ON emails (message_id)', 'CREATE INDEX without CONCURRENTLY'],
    [`UPDATE recipients SET mx = ''`, 'UPDATE of all rows'],
    ['DELETE FROM outbox', 'DELETE of many rows'],
    ['ALTER TABLE emails ALTER subject TYPE varchar(998)', 'a new type of a column'],
    ['ALTER TABLE emails\n ALTER COLUMN sender SET NOT NULL', 'a scan for NULL'],
    ['ALTER TABLE emails ADD CHECK (size > 0)', 'a constraint that is checked at once'],
    [
      'ALTER TABLE emails ADD CONSTRAINT c FOREIGN KEY (domain_id) REFERENCES domains',
      'a constraint that is checked at once',
    ],
    ['ALTER TABLE emails ADD seen timestamptz NOT NULL DEFAULT clock_timestamp()', 'a default of each row'],
    [`ALTER TABLE emails ADD lower text GENERATED ALWAYS AS (lower(subject)) STORED`, 'a default of each row'],
    ['ALTER TABLE recipients SET UNLOGGED', 'a rewrite'],
  ])('find %s', (sql, what) => {
    expect(blocking(sql)).toEqual([what]);
  });

  it.each([
    'CREATE INDEX CONCURRENTLY recipients_x ON recipients (mx)',
    'CREATE INDEX accounts_x ON accounts (name)',
    `ALTER TABLE emails ADD priority text NOT NULL DEFAULT 'transactional'`,
    'ALTER TABLE email_contents ADD bytes int, ADD CONSTRAINT c CHECK (bytes > 0) NOT VALID',
    'ALTER TABLE emails SET (autovacuum_vacuum_scale_factor = 0.03)',
  ])('allow %s', (sql) => {
    expect(blocking(sql)).toEqual([]);
  });
});
