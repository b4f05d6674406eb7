import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mail } from '../support/samples/mail.js';
import { API_KEY, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { SmtpTalk } from '../support/smtp/smtp-talk.mjs';
import { until } from '../support/timing/until.js';

/** A file system in memory, whose free space nobody else changes. */
const DISK = '/dev/shm';
const MIB = 1024 ** 2;
const ROOM_MIB = 600;
const FROM = 'orders@sandbox.postloft.test';

let program: RunningProgram;
let filler: string;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(DISK, 'postloft-disk-'));
  chmodSync(dataDir, 0o755);
  filler = join(dataDir, 'filler');
  const { bavail, bsize } = statfsSync(DISK);
  program = await launch('standalone', {
    ...(await standaloneEnv(dataDir)),
    BOOTSTRAP_API_KEY: API_KEY,
    DISK_LOW_WATER: `${Math.floor((bavail * bsize) / MIB) - ROOM_MIB}MiB`,
  });
});
afterAll(async () => {
  await program?.kill();
  program?.clean();
});

const send = (over: object = {}) => program.call('POST', '/emails', mail(over as Record<string, unknown>));
const readiness = async () =>
  (await (await fetch(`${program.url}/readyz`)).json()) as { failing?: { storage?: string } };

async function submit(talk: SmtpTalk): Promise<string> {
  for (const line of ['RSET', `MAIL FROM:<${FROM}>`, 'RCPT TO:<x@example.com>', 'DATA']) {
    const answer = await talk.say(line);
    if (!/^[23]/.test(answer)) return answer;
  }
  return talk.say(`From: ${FROM}\r\n\r\ntext\r\n.`);
}

it('accepts no mail on a disk that is nearly full, delivers what it has, and goes on by itself', async () => {
  const talk = await SmtpTalk.loggedIn(program.ports.smtps, FROM, API_KEY);
  expect(await submit(talk)).toMatch(/^250 /);
  const scheduled = await send({ scheduled_at: new Date(Date.now() + 8_000).toISOString() });
  expect(scheduled.status).toBe(201);
  const { id } = (await scheduled.json()) as { id: string };

  writeFileSync(filler, Buffer.alloc((ROOM_MIB + 50) * MIB, 1));
  await until(async () => (await send()).status === 503, { what: 'the disk to be noticed' });
  expect((await send()).headers.get('retry-after')).toBe('60');
  expect(await submit(talk)).toMatch(/^451 4\.3\.0 /);
  expect((await readiness()).failing?.storage).toMatch(/^the disk has less than \d+ MiB free/);
  const statusNow = async () =>
    ((await (await program.call('GET', `/emails/${id}`)).json()) as { status: string }).status;
  await until(async () => (await statusNow()) === 'delivered', { what: 'the scheduled mail to be delivered' });

  rmSync(filler);
  await until(async () => (await send()).status === 201, { what: 'mail to be accepted again' });
  expect(await submit(talk)).toMatch(/^250 /);
  talk.close();
  expect(program.output()).toMatch(/the disk is nearly full: no mail is accepted/);
  expect(program.output()).toMatch(/the disk has space again/);
});
