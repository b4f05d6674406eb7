import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RESEND_ERRORS } from '../../support/resend/resend-error-table.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';

const PACKAGE = 'resend==2.51.0';
const CALLS = new URL('../../ecosystem/clients/resend-python/resend_calls.py', import.meta.url).pathname;
/** The calls of the script, under the names of the package. */
const HELD = [
  'api_keys.create',
  'api_keys.list',
  'api_keys.remove',
  'api_keys.update',
  'batch.send',
  'domains.create',
  'domains.get',
  'domains.list',
  'domains.remove',
  'domains.update',
  'domains.verify',
  'emails.attachments.get',
  'emails.attachments.list',
  'emails.cancel',
  'emails.get',
  'emails.list',
  'emails.metrics',
  'emails.send',
  'emails.update',
  'logs.get',
  'logs.list',
  'suppressions.add',
  'suppressions.batch.add',
  'suppressions.batch.remove',
  'suppressions.get',
  'suppressions.list',
  'suppressions.remove',
  'usage.get',
  'webhooks.create',
  'webhooks.get',
  'webhooks.get_event',
  'webhooks.list',
  'webhooks.list_event_attempts',
  'webhooks.list_events',
  'webhooks.remove',
  'webhooks.replay_event',
  'webhooks.rotate_signing_secret',
  'webhooks.update',
  'webhooks.verify',
];

const run = promisify(execFile);
const venv = mkdtempSync(join(tmpdir(), 'postloft-resend-'));
let missing: string | null = null;
let program: ServiceAccount | undefined;

beforeAll(async () => {
  try {
    await run('python3', ['-m', 'venv', venv]);
    await run(join(venv, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', PACKAGE]);
  } catch (error) {
    missing = (error as Error).message;
    if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw error;
    return;
  }
  program = await openAccount('rest');
});
afterAll(() => rmSync(venv, { recursive: true, force: true }));

it('answers every call of the Python package of Resend', async ({ skip }) => {
  if (program === undefined) return skip(`no Python package: ${missing}`);
  const env = {
    PATH: process.env['PATH'],
    RESEND_API_URL: `${program.url}/resend`,
    RESEND_API_KEY: program.key,
    RESEND_SENDER: program.from,
  };
  const { stdout } = await run(join(venv, 'bin/python'), [CALLS], { env, timeout: 45_000 });
  expect(JSON.parse(stdout)).toEqual(HELD);
});

/** Prints the class that the package raises for each status and name. */
const CLASSES = `
import json, sys
from resend.exceptions import ResendError, raise_for_code_and_type
for status, name in json.loads(sys.argv[1]):
    try:
        raise_for_code_and_type(status, name, "a message")
    except ResendError as error:
        print(type(error).__name__)
`;

it('has the exception classes that docs/resend.md names', async ({ skip }) => {
  if (program === undefined) return skip(`no Python package: ${missing}`);
  const given = JSON.stringify(RESEND_ERRORS.map(({ status, name }) => [status, name]));
  const { stdout } = await run(join(venv, 'bin/python'), ['-c', CLASSES, given]);
  expect(stdout.trim().split('\n')).toEqual(RESEND_ERRORS.map(({ python }) => python));
});
