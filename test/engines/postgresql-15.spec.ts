import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { postgresVersionSuite } from './postgres-version.suite.js';

/** Where Debian 12 installs the package postgresql-15. */
const BIN = '/usr/lib/postgresql/15/bin';
const isInstalled = existsSync(`${BIN}/postgres`);

describe.skipIf(!isInstalled)('the service on PostgreSQL 15 of Debian', () => {
  postgresVersionSuite(15, () => Promise.resolve(BIN));
});

it.runIf(process.env['POSTLOFT_REQUIRE_ENGINES'] === '1')('has PostgreSQL 15 to run on', () =>
  expect(isInstalled).toBe(true),
);
