import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/services/cli.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { SmtpTalk } from '../support/smtp/smtp-talk.mjs';

/** Per user and session; more errors would end the session. */
const TRIES = 40;
const SESSIONS = 3;
const FOREIGN = 'boss@other.example';
const UNKNOWN = 'boss@nowhere.example';

describe('logins at the relay', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await startStandalone({ SMTP_AUTH_FAILURES_PER_MINUTE: '10000' });
    const created = await cli(program.env, 'accounts', 'create', '--name', 'Other', '--plan', 'unlimited', '--json');
    await cli(program.env, 'domains', 'vouch', (JSON.parse(created) as { id: string }).id, 'other.example');
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  const opened = async (): Promise<SmtpTalk> => {
    const client = SmtpTalk.open(program.ports.smtps);
    await client.secure();
    await client.reply();
    await client.say('EHLO client.example');
    return client;
  };

  it('with the key of another account take as long for a domain of the service as for one that nobody has', async () => {
    const times: Record<string, number[]> = { [FOREIGN]: [], [UNKNOWN]: [] };
    for (let session = 0; session < SESSIONS; session++) {
      const client = await opened();
      for (let i = 0; i < TRIES; i++) {
        const inTurn = i % 2 === 0 ? Object.entries(times) : Object.entries(times).reverse();
        for (const [user, list] of inTurn) {
          const since = performance.now();
          await client.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${program.key}`).toString('base64')}`);
          list.push(performance.now() - since);
        }
      }
      client.close();
    }
    const [foreign, unknown] = Object.values(times).map((list) => list.sort((a, b) => a - b)[list.length / 2]);
    expect(foreign / unknown).toBeGreaterThan(0.5);
    expect(foreign / unknown).toBeLessThan(2);
  });

  it('are greeted at once', async () => {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const startedAt = performance.now();
      const client = SmtpTalk.open(program.ports.smtp);
      await client.reply();
      times.push(performance.now() - startedAt);
      client.close();
    }
    // smtp-server itself greets no earlier than after 100 ms.
    expect(Math.min(...times)).toBeLessThan(100);
  });
});
