import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { databaseUrlFile } from '../../../libs/persistence/src/program/open-database.js';
import { cli } from '../../support/services/cli.js';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';
import { firstSender } from '../../support/services/sender.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const ROOT = new URL('../../../', import.meta.url).pathname;

let service: RunningProgram;
let hooks: WebhookReceiver;
beforeAll(async () => {
  hooks = await WebhookReceiver.start();
  service = await startStandalone();
});
afterAll(async () => {
  await service?.stop();
  await hooks?.close();
  service?.clean();
});

interface Rotation {
  step: string;
  wanted: string | null;
  secrets: { count: number; remaining: number }[];
  unused_api_keys: number;
}
const rotation = async (command: 'rotate' | 'status') =>
  JSON.parse(await cli(service.env, 'master-key', command, '--json')) as Rotation;
const keys = () => readFileSync(join(service.dataDir, 'master-key'), 'utf8').trim().split('\n');

it('is replaced while the service sends, through a kill -9, and keys, links and secrets of before stay valid', async () => {
  const { call, json, send } = firstSender(service);
  const hook = await json<{ id: string; secret: string }>('POST', '/webhooks', {
    url: hooks.url('/hook'),
    events: ['email.delivered'],
  });
  const { token } = await json<{ token: string }>('POST', '/api-keys', { name: 'Second', permission: 'full_access' });
  const link = await unsubscribeLink(await send({ list_unsubscribe: { one_click: true } }));
  expect(await rotation('rotate')).toMatchObject({ step: 'key_written' });
  const [wanted, before] = keys();
  expect(wanted).not.toBe(before);
  await service.stop();
  service = await service.restart();

  const sending = new AbortController();
  const sent = sendUntil(sending.signal);
  // Its failure is reported where it is awaited.
  sent.catch(() => undefined);
  await killRotation();
  const done = await rotation('rotate');
  expect(done).toMatchObject({ step: 'rotated', wanted: null });
  expect(done.secrets.reduce((sum, { remaining }) => sum + remaining, 0)).toBe(0);
  sending.abort();
  const ids = await sent;
  expect(ids.length).toBeGreaterThan(5);
  expect(keys()).toEqual([wanted]);

  for (const id of ids)
    await until(async () => (await json<{ status: string }>('GET', `/emails/${id}`)).status === 'delivered');
  const second = await fetch(`${service.url}/emails`, { headers: { authorization: `Bearer ${token}` } });
  expect(second.status).toBe(200);
  expect((await fetch(link.replace(/^https?:\/\/[^/]+/, service.url))).status).toBe(200);
  await until(() => Promise.resolve(hooks.calls.length > ids.length), { what: 'the calls of the webhook' });
  for (const { body, headers } of hooks.calls) new Webhook(hook.secret).verify(body, headers as Record<string, string>);
  expect((await call('GET', '/domains')).status).toBe(200);
  expect(await rotation('status')).toMatchObject({ wanted: null, unused_api_keys: 0 });
});

async function unsubscribeLink(id: string): Promise<string> {
  const { data } = await until(async () => {
    const list = await service.json<{ data: { id: string }[] }>('GET', `/captured?email_id=${id}`);
    return list.data.length > 0 && list;
  });
  const raw = await (await service.call('GET', `/captured/${data[0].id}/raw`)).text();
  return /<(https?:[^>]+\/unsubscribe\/[^>]+)>/.exec(raw.replaceAll(/\r\n\s+/g, ''))?.[1] ?? '';
}

/** Ends when told; resolves with the ids of what was accepted. @throws when an email is not */
async function sendUntil(signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  while (!signal.aborted) {
    ids.push(await firstSender(service).send({ to: `reader${ids.length}@example.net` }));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return ids;
}

/** Kills the command once the key is replaced and the service may still use the other one. */
async function killRotation(): Promise<void> {
  const database = new pg.Client(readFileSync(databaseUrlFile(service.dataDir), 'utf8').trim());
  await database.connect();
  const present = async () => {
    const { rows } = await database.query<{ check: string }>(
      `SELECT encode(master_key_check, 'hex') AS check FROM installation`,
    );
    return rows[0].check;
  };
  const before = await present();
  const child = spawn(process.execPath, [join(ROOT, 'dist/programs/cli.js'), 'master-key', 'rotate'], {
    env: { PATH: process.env['PATH'] ?? '', ...service.env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', (code, killedBy) => resolve(killedBy ?? code)));
  await until(async () => (await present()) !== before, { what: 'the new key', everyMs: 10 });
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  await database.end();
}
