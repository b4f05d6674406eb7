import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { built, run } from '../support/rest/client-builds.js';
import { generatedGo, generatedPython, generatedTypeScript, type Command } from './generated-clients.js';

const DOMAIN = 'mail.example.com';

let service: RunningProgram;

beforeAll(async () => {
  const env = { BOOTSTRAP_API_KEY: API_KEY, BOOTSTRAP_DOMAINS: DOMAIN, DELIVERY_MODE: 'capture' };
  service = await launch('standalone', { ...(await standaloneEnv(emptyDataDir())), ...env });
});
afterAll(async () => {
  await service?.kill();
  service?.clean();
});

const GENERATORS: [name: string, generate: () => Promise<Command>][] = [
  ['openapi-typescript', generatedTypeScript],
  ['oapi-codegen', generatedGo],
  ['openapi-python-client', generatedPython],
];

describe('a client generated from openapi.json', () => {
  it.for(GENERATORS)('by %s compiles, sends an e-mail and reads it', async ([name, generate], { skip }) => {
    const command = await built(skip, generate);
    if (command === null) return;
    const [program, ...args] = command;
    const sender = `${name}@${DOMAIN}`;
    const { stdout } = await run(program, args, {
      env: { ...process.env, POSTLOFT_URL: service.url, POSTLOFT_KEY: API_KEY, POSTLOFT_SENDER: sender },
      timeout: 60_000,
    });
    const { id, subject } = JSON.parse(stdout) as { id: string; subject: string };
    expect(subject).toBe('Your order');
    const stored = await fetch(`${service.url}/emails/${id}`, { headers: { authorization: `Bearer ${API_KEY}` } });
    expect(await stored.json()).toMatchObject({ from: sender, to: ['ada@example.net'], subject: 'Your order' });
  });
});
