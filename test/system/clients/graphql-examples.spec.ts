import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

/** Runs an example of the documentation against an account of its own, and sends an email while it watches. */
async function watched(command: string, example: string): Promise<string[]> {
  const service = await openAccount('rest');
  const program = spawn(
    command,
    [fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url)), service.domain],
    {
      env: { ...process.env, POSTLOFT_URL: service.url, POSTLOFT_API_KEY: service.key },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  createInterface({ input: program.stdout }).on('line', (line) => lines.push(line));
  try {
    await until(() => Promise.resolve(lines.length > 0), { what: 'the first counts' });
    const mail = { from: `a@${service.domain}`, to: 'user@example.net', subject: 'Hi', text: 'Hi' };
    expect((await service.call('POST', '/emails', mail)).status).toBe(201);
    await until(() => Promise.resolve(lines.at(-1)?.includes('delivered 1') === true), { what: 'the delivery' });
    return lines.map((line) => line.replace(service.domain, 'example.org'));
  } finally {
    program.kill();
  }
}

const expectCounts = (lines: string[]): void => {
  expect(lines[0]).toBe('example.org: accepted 0, delivered 0, deferred 0, bounced 0, opened 0, clicked 0');
  expect(lines.at(-1)).toBe('example.org: accepted 1, delivered 1, deferred 0, bounced 0, opened 0, clicked 0');
};

it('the live dashboard in Node prints every change', async () => {
  expectCounts(await watched(process.execPath, 'graphql-live.mjs'));
});
