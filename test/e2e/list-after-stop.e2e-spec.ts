import { afterAll, beforeAll, expect, it } from 'vitest';
import { mail } from '../support/mail.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { until } from '../support/until.js';

const MAILS = 30;

interface Page {
  data: { id: string; status: string; last_event: string }[];
}

let smarthost: ScriptedMx;
let program: RunningProgram;
beforeAll(async () => {
  // Nobody is greeted: what has not been said to a server may go back unsent.
  smarthost = await ScriptedMx.start({ on: { banner: 'silence' } });
  program = await startStandalone({
    DELIVERY_MODE: 'smarthost',
    SMARTHOST_URL: `smtp://127.0.0.1:${smarthost.port}`,
    DELIVERY_CONCURRENCY: '4',
  });
}, 110_000);
afterAll(async () => {
  await program?.stop();
  await smarthost?.close();
  program?.clean();
});

async function listed(filter: string): Promise<string[]> {
  const response = await program.call('GET', `/emails?limit=100&${filter}`);
  expect(response.status, filter).toBe(200);
  const { data } = (await response.json()) as Page;
  const [name, value] = filter.split('=');
  expect(data.map((one) => one[name as 'status' | 'last_event'])).toEqual(data.map(() => value));
  return data.map(({ id }) => id);
}

it('lists what a stop and a death gave back unsent among the queued, and once sent only among the delivered', async () => {
  const answers = await Promise.all(
    Array.from({ length: MAILS }, (_, i) => program.call('POST', '/emails', mail({ to: `stop-${i}@example.com` }))),
  );
  const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
  await until(async () => smarthost.sessions.length > 0, { what: 'a delivery under way' });
  await program.stop();
  program = await program.restart();
  // Some have been taken up again by now; every mail is in one of the two lists, and in one only.
  await until(
    async () => {
      const [queued, sending] = [await listed('status=queued'), await listed('status=sending')];
      return queued.length > 0 && [...queued, ...sending].sort().join() === [...ids].sort().join();
    },
    { what: 'every mail queued or on its way' },
  );
  expect((await listed('last_event=queued')).sort()).toEqual([...ids].sort());
  expect(await listed('status=delivered')).toEqual([]);

  // A death gives back what it was sending, when the next one starts.
  await program.kill();
  smarthost.script = {};
  program = await program.restart();
  await smarthost.waitForMails(MAILS, 60_000);
  await until(async () => (await listed('status=delivered')).length === MAILS, { what: 'every mail delivered' });
  expect((await listed('last_event=delivered')).sort()).toEqual([...ids].sort());
  for (const filter of ['status=queued', 'status=sending', 'status=deferred', 'last_event=queued'])
    expect(await listed(filter), filter).toEqual([]);
}, 240_000);
