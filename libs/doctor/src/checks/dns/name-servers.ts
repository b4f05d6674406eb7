import { StubResolver } from '#libs/dns';
import { isPublicAddress } from '#libs/kernel';
import { daneState } from '#libs/mta';
import { randomBytes } from 'node:crypto';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

const TIMEOUT_MS = 2_000;
/** Delivery to a new domain takes several queries, one after the other. */
const SLOW_MS = 500;
/** Block lists refuse queries from these resolvers, or answer them wrongly. */
const PUBLIC_RESOLVERS: Readonly<Record<string, string>> = {
  '8.8.8.8': 'Google',
  '8.8.4.4': 'Google',
  '2001:4860:4860::8888': 'Google',
  '2001:4860:4860::8844': 'Google',
  '1.1.1.1': 'Cloudflare',
  '1.0.0.1': 'Cloudflare',
  '2606:4700:4700::1111': 'Cloudflare',
  '2606:4700:4700::1001': 'Cloudflare',
  '9.9.9.9': 'Quad9',
  '149.112.112.112': 'Quad9',
  '2620:fe::fe': 'Quad9',
  '208.67.222.222': 'OpenDNS',
  '208.67.220.220': 'OpenDNS',
};
const USE_OWN_RESOLVER =
  'Install a resolver that validates DNSSEC on this machine (apt-get install unbound), then\nDNS_SERVERS=127.0.0.1';

/** Each name server is queried alone: a dead one delays every lookup. */
export const nameServersCheck: Check = {
  name: 'name-servers',
  title: 'Name servers',
  run: async (context) => {
    const checks = context.dns.servers.map(checkServer);
    const [dane, ...servers] = await Promise.all([checkDane(context), ...checks]);
    return [...servers.flat(), dane];
  },
};

async function checkServer(server: string): Promise<Result[]> {
  const resolver = new StubResolver({ servers: [server], timeoutMs: TIMEOUT_MS });
  const first = await timedQuery(resolver);
  // The other checks begin at the same time, so a first response may have waited in this process.
  const { failure, ms } = first.failure === null && first.ms > SLOW_MS ? await timedQuery(resolver) : first;
  if (failure !== null)
    return [
      error({
        subject: server,
        message: 'This name server does not answer. Without DNS no mail can be delivered and no domain verified.',
        fix: 'Correct DNS_SERVERS (unset: /etc/resolv.conf), or open port 53, UDP and TCP, to it.',
        facts: { ms, code: failure },
      }),
    ];
  const results = [...(await findFalseAnswers(server, resolver)), ...checkOperator(server)];
  if (ms > SLOW_MS)
    results.push(
      warning({
        subject: server,
        message: `It took ${ms} ms to answer; every mail to a new domain waits for several answers.`,
        fix: USE_OWN_RESOLVER,
        facts: { ms },
      }),
    );
  return results.length > 0 ? results : [ok({ subject: server, message: `It answers, in ${ms} ms.`, facts: { ms } })];
}

/** `failure`: why nothing was answered; null with any response. */
async function timedQuery(resolver: StubResolver): Promise<{ failure: string | null; ms: number }> {
  const startedAt = performance.now();
  const failure = await resolver.ns('.').then(
    () => null,
    ({ code }: NodeJS.ErrnoException) => (code === 'ETIMEOUT' || code === 'ECONNREFUSED' ? code : null),
  );
  return { failure, ms: Math.round(performance.now() - startedAt) };
}

/** Queries names that do not exist: `invalid.` never does (RFC 6761 §6.4), the other one is random. */
async function findFalseAnswers(server: string, resolver: StubResolver): Promise<Result[]> {
  const random = randomBytes(12).toString('hex');
  for (const name of [`${random}.invalid`, `doctor-${random}.com`]) {
    const records = await resolver.ipv4(name).catch(() => []);
    const found = records.map(({ address }) => address);
    if (found.length > 0)
      return [
        error({
          subject: server,
          message: `It answers ${found[0]} for ${name}, which does not exist: mail to mistyped domains would go there, and every address would seem to be on every block list.`,
          fix: USE_OWN_RESOLVER,
          facts: { name, addresses: found },
        }),
      ];
  }
  return [];
}

function checkOperator(server: string): Result[] {
  const address = server.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  const operator = PUBLIC_RESOLVERS[address];
  if (operator === undefined && !isPublicAddress(address)) return [];
  const what = operator === undefined ? 'It is outside your network' : `It is the public resolver of ${operator}`;
  const message = `${what}: block lists refuse queries from shared resolvers, and DANE cannot be used.`;
  return [warning({ subject: server, message, fix: USE_OWN_RESOLVER })];
}

async function checkDane({ config, dns }: CheckContext): Promise<Result> {
  const { DANE: mode, MX_PORT: mxPort } = config.settings;
  if (mode === 'off') return skipped({ subject: 'DANE', message: 'It is switched off (DANE=off).' });
  const { on, text } = await daneState({ mode, servers: dns.servers, mxPort, timeoutMs: TIMEOUT_MS });
  if (on) return ok({ subject: 'DANE', message: text });
  return skipped({
    subject: 'DANE',
    message: `${text} Mail is still encrypted, but certificates are not verified by DANE (RFC 7672).`,
    fix: USE_OWN_RESOLVER,
  });
}
