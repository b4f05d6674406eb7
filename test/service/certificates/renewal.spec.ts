import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openHttps } from '#apps/gateway/src/http/https-listener';
import { serveOn } from '#apps/gateway/src/http-application';
import { certificateStates, CertificateStore, IssuedCertificates, requestRenewal } from '#libs/certificates';
import { DeliveryPolicies } from '#libs/domains';
import { Config, Log, Shutdown, type TlsFiles } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { AcmeAuthority, AuthorityProblem } from '../../../libs/certificates/src/acme-authority.js';
import { CertificateRenewal } from '../../../libs/certificates/src/certificate-renewal.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { testAuthority } from '../../support/fixtures/self-signed-certificate.js';
import { freePorts } from '../../support/services/ports.js';

const SMTP_HOST = 'smtp.mail.example.org';
const HTTP_HOST = 'api.example.org';
const authority = testAuthority();

let gateway: GatewayApp;
let database: Database;
let store: CertificateStore;
let ports: number[];
beforeAll(async () => {
  ports = await freePorts(2);
  gateway = await startGatewayApp({
    ...{ ACME_TERMS_AGREED: 'true', SERVICE_DOMAIN: 'mail.example.org', PUBLIC_URL: `https://${HTTP_HOST}` },
    // The renewal of the gateway itself reaches no authority.
    ...{ ACME_DIRECTORY_URL: 'https://127.0.0.1:1/dir' },
    ...{ HTTPS_PORT: String(ports[0]), ACME_HTTP_PORT: String(ports[1]) },
  });
  await openHttps(gateway.app, (server) => serveOn(gateway.app, server));
  database = gateway.app.get(Database);
  store = gateway.app.get(CertificateStore);
  // Of the first round, which has begun.
  await gateway.app.get(CertificateRenewal)['poller'].stop();
});
beforeEach(() => database.query('DELETE FROM certificates'));
afterAll(() => gateway?.stop());

/** A program that renews, with an authority that answers as given. */
function renewalWith(order: (host: string) => TlsFiles | Promise<TlsFiles>): CertificateRenewal {
  const [config, log] = [gateway.app.get(Config), Log.quiet()];
  const shutdown = new Shutdown(log);
  return new CertificateRenewal(
    store,
    { order: (host: string) => Promise.resolve(host).then(order) } as unknown as AcmeAuthority,
    gateway.app.get(DeliveryPolicies),
    config,
    log,
    shutdown,
    database,
    new Worker(database, config, log, shutdown),
  );
}

/** The serial number that a TLS client sees. */
function servedSerial(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: ports[0], servername: host, ca: authority.cert }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.end();
    });
    socket.once('error', reject);
  });
}

const serialOf = ({ cert }: TlsFiles): string => new X509Certificate(cert).serialNumber;
const hostsOf = async () => (await certificateStates(database)).map(({ host }) => host);

it('orders each certificate once although two programs start, and again on request only', async () => {
  const ordered: string[] = [];
  const order = (host: string) => {
    ordered.push(host);
    return authority.issue(host);
  };
  const [one, other] = [renewalWith(order), renewalWith(order)];
  await Promise.all([one.round(), other.round()]);
  await one.round();
  expect(ordered.toSorted()).toEqual([HTTP_HOST, SMTP_HOST]);
  expect(await requestRenewal(database, SMTP_HOST)).toEqual([SMTP_HOST]);
  expect(await requestRenewal(database, 'other.example.org')).toEqual([]);
  await other.round();
  expect(ordered.slice(2)).toEqual([SMTP_HOST]);
  const { rows } = await database.query<{ row: string }>('SELECT certificates::text AS row FROM certificates');
  expect(rows.map(({ row }) => row).join()).not.toContain('PRIVATE KEY');
});

it('serves a renewed certificate over HTTPS without a restart, by the name that a client asks for', async () => {
  const issued = gateway.app.get(IssuedCertificates);
  const made = new Map<string, TlsFiles>();
  const order = (host: string) => {
    made.set(host, authority.issue(host));
    return made.get(host) as TlsFiles;
  };
  const renewal = renewalWith(order);
  const serials: string[] = [];
  for (let round = 0; round < 2; round++) {
    await renewal.round();
    await issued.refresh();
    for (const host of [HTTP_HOST, SMTP_HOST]) {
      expect(await servedSerial(host)).toBe(serialOf(made.get(host) as TlsFiles));
      serials.push(serialOf(made.get(host) as TlsFiles));
    }
    await requestRenewal(database, null);
  }
  expect(new Set(serials).size).toBe(4);
});

it('keeps the certificate when a renewal fails, says why, and tries again later', async () => {
  await renewalWith((host) => authority.issue(host)).round();
  await requestRenewal(database, HTTP_HOST);
  const before = (await store.load([HTTP_HOST]))[0].cert;
  const refusing = renewalWith(() => {
    throw new AuthorityProblem('urn:ietf:params:acme:error:dns', 'DNS problem: NXDOMAIN looking up A', 7_200_000);
  });
  await refusing.round();
  await refusing.round();
  const state = (await certificateStates(database)).find(({ host }) => host === HTTP_HOST);
  expect(state).toMatchObject({ failures: 1, lastError: 'DNS problem: NXDOMAIN looking up A' });
  expect((await store.load([HTTP_HOST]))[0].cert).toBe(before);
  const { rows } = await database.query<{ late: boolean }>(
    `SELECT due_at > now() + interval '119 minutes' AS late FROM certificates WHERE host = $1`,
    [HTTP_HOST],
  );
  expect(rows).toEqual([{ late: true }]);
});

it('orders for tracking hosts of active domains, and forgets hosts that need no certificate', async () => {
  const { domainId } = await gateway.account();
  const { rows } = await database.query<{ name: string }>(
    `UPDATE domains SET vouched = false, findings = '[{"slot": "tracking", "status": "verified", "lostSince": null}]'
      WHERE id = $1 RETURNING name`,
    [domainId],
  );
  const renewal = renewalWith(() => Promise.reject(new Error('no address')));
  await renewal.round();
  expect(await hostsOf()).toEqual([HTTP_HOST, SMTP_HOST, `track.${rows[0].name}`]);
  await database.query(`UPDATE domains SET findings = '[]' WHERE id = $1`, [domainId]);
  await renewal.round();
  expect(await hostsOf()).toEqual([HTTP_HOST, SMTP_HOST]);
});

it('answers challenges on both ports, and nothing that it did not ask for', async () => {
  await store.openChallenge('a-token', 'a-token.thumbprint');
  const challenge = (port: number, token: string) =>
    fetch(`http://127.0.0.1:${port}/.well-known/acme-challenge/${token}`, { headers: { host: 'track.a.example' } });
  for (const port of [gateway.port, ports[1]]) {
    expect(await (await challenge(port, 'a-token')).text()).toBe('a-token.thumbprint');
    for (const token of ['other', '..%2f..%2f', 'a-token/x', ''])
      expect((await challenge(port, token)).status).toBe(404);
  }
  expect((await fetch(`http://127.0.0.1:${ports[1]}/healthz`)).status).toBe(404);
  await store.closeChallenge('a-token');
  expect((await challenge(ports[1], 'a-token')).status).toBe(404);
});

it('says in one sentence that the authority cannot be reached', async () => {
  await store.want([SMTP_HOST]);
  await gateway.app.get(CertificateRenewal).round();
  const [, state] = await certificateStates(database);
  expect(state).toMatchObject({
    ...{ host: SMTP_HOST, notAfter: null, failures: 1 },
    lastError: 'The authority at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
  });
});
