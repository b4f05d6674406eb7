import { Agent } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { axios, Client } from 'acme-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateStates, CertificateStore, requestRenewal } from '#libs/certificates';
import { Config } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { CertificateRenewal } from '../../libs/certificates/src/certificate-renewal.js';
import { startGatewayApp, type GatewayApp } from '../support/fixtures/gateway-app.js';
import { cli } from '../support/services/cli.js';
import { freePorts } from '../support/services/ports.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { SmtpTalk } from '../support/smtp/smtp-talk.mjs';
import { until } from '../support/timing/until.js';
import { hasPebble, PebbleServer } from './pebble-server.js';

const SMTP_HOST = 'smtp.mail.pebble.test';
const HTTP_HOST = 'api.pebble.test';

/** Needs `node tools/pebble.mjs`. */
describe.skipIf(!hasPebble)('certificates from Pebble', () => {
  const pebble = new PebbleServer();
  const settings = () => ({
    ...{ ACME_TERMS_AGREED: 'true', ACME_DIRECTORY_URL: pebble.directory },
    ...{ SERVICE_DOMAIN: 'mail.pebble.test', PUBLIC_URL: `https://${HTTP_HOST}`, PUBLIC_SMTP_HOST: SMTP_HOST },
  });
  beforeAll(() => pebble.start());
  afterAll(() => pebble.stop());

  describe('of a running service', () => {
    let program: RunningProgram;
    let https: number;
    beforeAll(async () => {
      [https] = await freePorts(1);
      program = await startStandalone({
        ...settings(),
        ...{ HTTPS_PORT: String(https), ACME_HTTP_PORT: String(pebble.httpPort) },
        ...{ NODE_EXTRA_CA_CERTS: pebble.rootFile, ACME_EMAIL: 'hostmaster@pebble.test' },
      });
    });
    afterAll(async () => {
      await program?.stop();
      program?.clean();
    });

    /** Of the certificate that a client of each listener sees. */
    const serials = async () => {
      const talk = SmtpTalk.open(program.ports.smtp);
      await talk.reply();
      await talk.say('EHLO client.pebble.test');
      await talk.say('STARTTLS');
      await talk.secure();
      const starttls = (talk.stream as TLSSocket).getPeerCertificate().serialNumber;
      talk.close();
      return {
        https: await serialAt(https, HTTP_HOST),
        smtps: await serialAt(program.ports.smtps, SMTP_HOST),
        starttls,
      };
    };
    const listed = async () =>
      JSON.parse(await cli(program.env, 'certificates', 'list', '--json')) as { host: string; source: string }[];

    it('are ordered, served by every listener, and renewed without a restart', async () => {
      await until(
        async () =>
          (await listed()).every(
            ({ source, ...rest }) => source === 'acme' && 'not_after' in rest && rest.not_after !== null,
          ),
        {
          what: 'the first certificates',
          withinMs: 90_000,
        },
      );
      const first = await until(async () => serials().catch(() => null), { what: 'TLS of every listener' });
      expect(first).not.toBeNull();
      expect(await listed()).toEqual(
        [HTTP_HOST, SMTP_HOST].map((host) => ({
          ...{ host, source: 'acme', not_after: expect.stringMatching(/^20\d\d-/) as string, last_error: null },
        })),
      );
      await until(async () => (await serials()).starttls === (await serials()).smtps, {
        what: 'one certificate for SMTP',
      });
      const before = await serials();
      expect(await cli(program.env, 'certificates', 'renew')).toContain(`${HTTP_HOST}, ${SMTP_HOST}`);
      await until(
        async () => {
          const now = await serials();
          return now.https !== before.https && now.smtps !== before.smtps && now.starttls !== before.starttls;
        },
        { what: 'new serial numbers', withinMs: 90_000 },
      );
      expect(program.output()).toContain('a certificate was issued');
    });
  });

  describe('of two programs on one database', () => {
    let programs: GatewayApp[];
    let database: Database;
    beforeAll(async () => {
      axios.defaults.httpsAgent = new Agent({ ca: pebble.root });
      // The first one answers the challenges of both. Their own polls are stopped; the tests start the rounds.
      const first = await startGatewayApp({ ...settings(), ACME_HTTP_PORT: String(pebble.httpPort) });
      const second = await startGatewayApp({ ...settings(), DATABASE_URL: first.databaseUrl });
      programs = [first, second];
      database = first.app.get(Database);
      for (const { app } of programs) await app.get(CertificateRenewal)['poller'].stop();
    });
    afterAll(async () => {
      delete axios.defaults.httpsAgent;
      for (const program of programs?.toReversed() ?? []) await program.stop();
    });

    const rounds = () => Promise.all(programs.map(({ app }) => app.get(CertificateRenewal).round()));
    const version = async () => (await programs[0].app.get(CertificateStore).versions()).get(SMTP_HOST);
    const states = () => certificateStates(database);

    it('are ordered by one of them', async () => {
      const before = await version();
      await requestRenewal(database, null);
      await rounds();
      await rounds();
      expect(await states()).toMatchObject([{ host: SMTP_HOST, failures: 0, lastError: null }]);
      expect(await version()).not.toBe(before);
    });

    it('are ordered with a new account when the old one is revoked', async () => {
      const { app } = programs[0];
      const store = app.get(CertificateStore);
      const { ACME_DIRECTORY_URL: directoryUrl } = app.get(Config).settings;
      const noKey = () => Promise.reject(new Error('there is no account'));
      const accountKey = await store.accountKey(directoryUrl, noKey);
      const client = new Client({ directoryUrl, accountKey });
      await client.createAccount({ termsOfServiceAgreed: true, contact: [] });
      await client.updateAccount({ status: 'deactivated' });
      const before = await version();
      await requestRenewal(database, SMTP_HOST);
      await rounds();
      expect(await states()).toMatchObject([{ failures: 0, lastError: null }]);
      expect(await version()).not.toBe(before);
      expect(await store.accountKey(directoryUrl, noKey)).not.toBe(accountKey);
    });

    it('stay when the name does not resolve, with the detail of the authority', async () => {
      await pebble.dns('set-servfail', SMTP_HOST);
      const before = await version();
      await requestRenewal(database, SMTP_HOST);
      await rounds();
      await pebble.dns('clear-servfail', SMTP_HOST);
      expect(await version()).toBe(before);
      const [state] = await states();
      expect(state).toMatchObject({
        failures: 1,
        lastError: expect.stringMatching(/smtp\.mail\.pebble\.test/) as string,
      });
      expect(state.lastError).not.toContain('\n');
    });

    it('stay when the authority cannot be reached', async () => {
      const before = await version();
      await pebble.stop();
      await requestRenewal(database, SMTP_HOST);
      await rounds();
      expect(await version()).toBe(before);
      expect(await states()).toMatchObject([
        {
          failures: 2,
          lastError: expect.stringMatching(
            /^The authority at localhost:\d+ cannot be reached: .*ECONNREFUSED/,
          ) as string,
        },
      ]);
    });
  });
});

function serialAt(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Pebble's own root changes with each start.
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.end();
    });
    socket.once('error', reject);
  });
}
