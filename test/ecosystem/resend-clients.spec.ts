import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { cli } from '../support/services/cli.js';
import {
  BIG,
  built,
  goProgram,
  javaClassPath,
  pythonWithPackages,
  requireProgram,
  run,
  rustProgram,
  ToolchainMissing,
} from '../support/rest/client-builds.js';
import { RESEND_ERRORS } from '../support/resend/resend-error-table.js';
import { testAuthority } from '../support/fixtures/self-signed-certificate.js';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.js';

const HOST = 'api.resend.com';
const SCRIPT = new URL('./clients/resend-python/resend_calls.py', import.meta.url).pathname;

let service: RunningProgram;
let receiver: WebhookReceiver;
const table: Record<string, string[]> = {};

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await launch('standalone', { ...(await standaloneEnv(emptyDataDir())), BOOTSTRAP_API_KEY: API_KEY });
});
afterAll(async () => {
  await service?.kill();
  service?.clean();
  await receiver?.close();
  for (const [client, calls] of Object.entries(table)) console.log(`${client}: ${calls.join(', ')}`);
});

/** The environment of a client that has an account of its own, so that its lists are known. */
async function accountFor(name: string, on = service): Promise<Record<string, string>> {
  const domain = `${name}-client.example.org`;
  const created = await cli(on.env, 'accounts', 'create', '--name', name, '--plan', 'unlimited', '--json');
  const { id, api_key: key } = JSON.parse(created) as { id: string; api_key: string };
  await cli(on.env, 'domains', 'vouch', id, domain);
  return { ...inherited(), RESEND_API_KEY: key, RESEND_SENDER: `shop@${domain}` };
}

const inherited = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '/',
});

/** Runs the program of a client and returns the calls that held. */
async function callsOf(client: string, [program, ...args]: [string, ...string[]], env: object): Promise<string[]> {
  const { stdout } = await run(program, args, { env: env as NodeJS.ProcessEnv, timeout: 300_000, ...BIG });
  const held = JSON.parse(stdout) as string[];
  table[client] = held;
  return held;
}

describe('the libraries of Resend', () => {
  it('for Go', async ({ skip }) => {
    const program = await built(skip, () => goProgram('resend-go'));
    if (program === null) return;
    const env = await accountFor('go');
    const base = `${service.url}/resend/`;
    const held = await callsOf('Go', [program, receiver.url('/go')], { ...env, RESEND_BASE_URL: base });
    expect(held).toHaveLength(24);
    const noSlash = run(program, ['--send'], { env: { ...env, RESEND_BASE_URL: base.slice(0, -1) } });
    await expect(noSlash).rejects.toMatchObject({
      stderr: expect.stringContaining('must end with /resend/, including the final slash') as string,
    });
  });

  it('for Rust', async ({ skip }) => {
    const program = await built(skip, () => rustProgram('resend-rust', 'resend-calls'));
    if (program === null) return;
    const env = { ...(await accountFor('rust')), RESEND_BASE_URL: `${service.url}/resend`, RESEND_RATE_LIMIT: '100' };
    expect(await callsOf('Rust', [program, receiver.url('/rust')], env)).toHaveLength(39);
    // The library has no kind for requests per second, because it gives them an error of their own.
    const rows = RESEND_ERRORS.filter(({ name }) => name !== 'rate_limit_exceeded');
    const { stdout } = await run(program, ['--kinds', ...rows.map(({ name }) => name)]);
    expect(JSON.parse(stdout)).toEqual(rows.map(({ rust }) => rust));
  });

  it('for Python', async ({ skip }) => {
    const bin = await built(skip, () => pythonWithPackages('resend-python', ['resend==2.51.0']));
    if (bin === null) return;
    const env = { ...(await accountFor('python')), RESEND_API_URL: `${service.url}/resend` };
    expect(await callsOf('Python', [join(bin, 'python'), SCRIPT], env)).toHaveLength(39);
  });

  it('for Java, with a network that leads the fixed host to the service', async ({ skip }) => {
    const classPath = await built(skip, () => javaClassPath('resend-java'));
    if (classPath === null) return;
    const authority = testAuthority();
    const settings = await standaloneEnv(emptyDataDir());
    const file = (name: string, text: string): string => {
      writeFileSync(join(settings['DATA_DIR'], name), text);
      return join(settings['DATA_DIR'], name);
    };
    const { cert, key } = authority.issue(HOST);
    const env = {
      ...settings,
      BOOTSTRAP_API_KEY: API_KEY,
      RESEND_HOST: HOST,
      HTTP_TLS_CERT: file('host.pem', cert),
      HTTP_TLS_KEY: file('host.key', key),
      OPS_PORT: settings['SMTPS_PORT'],
      SMTPS_PORT: '0',
    };
    const secured = await launch('standalone', env, { readyUrl: `http://127.0.0.1:${env.OPS_PORT}/readyz` });
    const proxy = await tunnelTo(secured.ports.http);
    try {
      const trust = join(settings['DATA_DIR'], 'trust.p12');
      const ca = file('ca.pem', authority.cert);
      const import_ = ['-importcert', '-noprompt', '-alias', 'ca', '-file', ca, '-keystore', trust];
      await run('keytool', [...import_, '-storetype', 'PKCS12', '-storepass', 'changeit']);
      const options = [
        `-Dhttps.proxyHost=127.0.0.1`,
        `-Dhttps.proxyPort=${(proxy.address() as AddressInfo).port}`,
        `-Djavax.net.ssl.trustStore=${trust}`,
        '-Djavax.net.ssl.trustStorePassword=changeit',
      ];
      const command: [string, ...string[]] = [
        'java',
        ...options,
        '-cp',
        classPath,
        'ResendCalls',
        receiver.url('/java'),
      ];
      expect(await callsOf('Java', command, await accountFor('java', secured))).toHaveLength(36);
    } finally {
      proxy.close();
      await secured.kill();
      secured.clean();
    }
  });

  it('for PHP', async ({ skip }) => {
    await built(skip, async () => {
      requireProgram('php', '--version');
      requireProgram('composer', '--version');
      await Promise.reject(new ToolchainMissing('Packagist does not serve resend/resend-php'));
    });
  });
});

/** An HTTP proxy whose tunnels all end at this port (RFC 9110 section 9.3.6). */
async function tunnelTo(port: number): Promise<Server> {
  const server = createServer((client: Socket) => {
    client.once('data', () => {
      const target = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
