import { isPublicAddress } from '#libs/kernel';
import { daneState } from '#libs/mta';
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

const TIMEOUT_MS = 2_000;
/** Every mail to a new domain costs some questions, one after the other. */
const SLOW_MS = 500;
/** Block lists and providers give such resolvers wrong or no answers. */
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
const OWN_RESOLVER =
  'Install a resolver that checks signatures on this machine (apt-get install unbound), then\nDNS_SERVERS=127.0.0.1';

/** Delivery rests on DNS: on each server, since a dead one costs every question its time. */
export const nameServersCheck: Check = {
  name: 'name-servers',
  title: 'Name servers',
  asks: 'Does each answer, quickly and truthfully, and can DANE be used?',
  look: async (patient) => {
    const looks = patient.dns.servers.map(lookAt);
    const [dane, ...servers] = await Promise.all([lookAtDane(patient), ...looks]);
    return [...servers.flat(), dane];
  },
};

async function lookAt(server: string): Promise<Remark[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  resolver.setServers([server]);
  const begun = performance.now();
  const silence = await resolver.resolveNs('.').then(
    () => null,
    ({ code }: NodeJS.ErrnoException) => (['ETIMEOUT', 'ECONNREFUSED'].includes(code ?? '') ? code : null),
  );
  const ms = Math.round(performance.now() - begun);
  if (silence !== null)
    return [
      error({
        subject: server,
        message: 'This name server does not answer. Without DNS no mail can be delivered and no domain verified.',
        fix: 'Correct DNS_SERVERS (unset: /etc/resolv.conf), or let port 53, UDP and TCP, through to it.',
        facts: { ms, code: silence },
      }),
    ];
  const remarks = [...(await findLies(server, resolver)), ...judgeOwner(server)];
  if (ms > SLOW_MS)
    remarks.push(
      warning({
        subject: server,
        message: `It took ${ms} ms to answer; every mail to a new domain waits for several answers.`,
        fix: OWN_RESOLVER,
        facts: { ms },
      }),
    );
  return remarks.length > 0 ? remarks : [ok({ subject: server, message: `It answers, in ${ms} ms.`, facts: { ms } })];
}

/** Names that nobody has: the first can never exist (RFC 6761 §6.4), the second is too random to. */
async function findLies(server: string, resolver: Resolver): Promise<Remark[]> {
  const random = randomBytes(12).toString('hex');
  for (const name of [`${random}.invalid`, `doctor-${random}.com`]) {
    const found = await resolver.resolve4(name).catch(() => []);
    if (found.length > 0)
      return [
        error({
          subject: server,
          message: `It answers ${found[0]} for ${name}, which does not exist: mail to mistyped domains would go there, and every address would seem to be on every block list.`,
          fix: OWN_RESOLVER,
          facts: { name, addresses: found },
        }),
      ];
  }
  return [];
}

function judgeOwner(server: string): Remark[] {
  const address = server.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  const owner = PUBLIC_RESOLVERS[address];
  if (owner === undefined && !isPublicAddress(address)) return [];
  const whose = owner === undefined ? 'It is not in your network' : `It is the public resolver of ${owner}`;
  const message = `${whose}: block lists refuse questions that come through shared resolvers, and DANE cannot be used.`;
  return [warning({ subject: server, message, fix: OWN_RESOLVER })];
}

async function lookAtDane({ config, dns }: Patient): Promise<Remark> {
  const { DANE: mode, MX_PORT: mxPort } = config.settings;
  if (mode === 'off') return skipped({ subject: 'DANE', message: 'It is switched off (DANE=off).' });
  const { on, text } = await daneState({ mode, servers: dns.servers, mxPort, timeoutMs: TIMEOUT_MS });
  if (on) return ok({ subject: 'DANE', message: text });
  return skipped({
    subject: 'DANE',
    message: `${text} Mail is encrypted all the same, but not proved (RFC 7672).`,
    fix: OWN_RESOLVER,
  });
}
