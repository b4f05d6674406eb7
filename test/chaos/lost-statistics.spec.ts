import { mkdir, readdir, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../support/services/cli.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';

const MESSAGES = 60;
const TABLES = [
  'recipient_counts_by_minute',
  'recipient_counts_by_hour',
  'recipient_counts_by_day',
  'recipient_positions',
];
const PATIENCE = { withinMs: 200_000, everyMs: 250 };

let program: RunningProgram;
beforeAll(async () => {
  program = await startStandalone();
});
afterAll(async () => {
  await program?.stop();
  program?.clean();
});

async function counts(): Promise<Record<string, number>> {
  const answer = await program.call('GET', '/stats?metrics=accepted,delivered');
  return ((await answer.json()) as { totals?: Record<string, number> }).totals ?? {};
}

async function deleteFolders(): Promise<void> {
  const data = join(program.dataDir, 'chdb', 'data', 'postloft');
  for (const table of TABLES) await rm(join(data, await readlink(join(data, table))), { recursive: true });
}

it('are rebuilt from the event log after a stop and after a kill', async () => {
  const mails = Array.from({ length: MESSAGES }, (_, i) => ({
    from: 'Shop <orders@sandbox.postloft.test>',
    to: [`delivered+${i}@sim.postloft.test`],
    ...{ subject: 'Order', text: 'Thank you.' },
  }));
  expect((await program.call('POST', '/emails/batch', mails)).status).toBe(201);
  const isWhole = async () => {
    const { accepted, delivered } = await counts();
    return accepted === MESSAGES && delivered === MESSAGES;
  };
  await until(isWhole, PATIENCE);
  for (const end of [() => program.stop(), () => program.kill()]) {
    await end();
    await deleteFolders();
    program = await program.restart();
    const says = (line: string) => Promise.resolve(program.output().includes(line));
    await until(() => says('statistics had lost rows, which were rebuilt'), PATIENCE);
    await until(isWhole, PATIENCE);
  }
  await program.stop();
  // A set-aside store has nothing that the store lacks.
  const aside = join(program.dataDir, 'chdb.broken-test');
  await mkdir(aside);
  const [folder] = await readdir(join(program.dataDir, 'chdb', 'store'));
  await rename(join(program.dataDir, 'chdb', 'store', folder), join(aside, folder));
  await until(async () => (await cli(program.env, 'stats', 'recover')).includes('No day lacks events.'), PATIENCE);
  program = await program.restart();
  await until(isWhole, PATIENCE);
});
