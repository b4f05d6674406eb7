import { isPublicAddress } from '#libs/kernel';
import { SmarthostRouter, type Target } from '#libs/mta';
import { isIPv6 } from 'node:net';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import { mechanismsOf, probeSmtp, type SmtpProbe } from '../smtp-probe.js';

/** Large enough that one of them answers whoever else is down. */
const PROVIDERS = ['gmail.com', 'outlook.com', 'yahoo.com'];
const OPEN_PORT =
  'Ask the hosting provider to open outbound TCP port 25 for this machine (most do on request), look at your own firewall,\nor hand mail to somebody who may send:\nDELIVERY_MODE=smarthost\nSMARTHOST_URL=smtp://user:password@host:587';

/** Most hosting providers block outbound port 25 for new customers. Greetings are read, nothing is sent. */
export const outboundCheck: Check = {
  name: 'port-25',
  title: 'Way out',
  asks: 'Can mail servers of others, or the smarthost, be reached from here?',
  isOfDelivery: true,
  look: (patient) =>
    patient.config.settings.DELIVERY_MODE === 'smarthost' ? lookAtSmarthost(patient) : lookAtProviders(patient),
};

interface Tried {
  provider: string;
  remark: Remark;
  /** Connecting itself failed, as it does behind a closed port. */
  isBlocked?: boolean;
  /** DNS says that there is no such mail server. */
  isUnknown?: boolean;
}

async function lookAtProviders(patient: Patient): Promise<Remark[]> {
  const tried = await Promise.all(PROVIDERS.map((provider) => tryProvider(patient, provider)));
  const blocked = tried.filter(({ isBlocked }) => isBlocked);
  const { MX_PORT } = patient.config.settings;
  if (tried.every(({ isUnknown }) => isUnknown))
    return [
      error({
        subject: 'internet',
        message: `DNS knows no mail server of ${PROVIDERS.join(', ')}, so this is a network without the internet.`,
        fix: 'DNS_SERVERS=<a name server that knows the internet>',
      }),
    ];
  if (blocked.length === 0 || tried.some(({ remark }) => remark.status === 'ok'))
    return tried.map(({ remark }) => remark);
  return [
    error({
      subject: `port ${MX_PORT} outbound`,
      message: `None of ${blocked.map(({ provider }) => provider).join(', ')} could be reached: the hosting provider blocks it, or a firewall does. No mail gets out.`,
      fix: OPEN_PORT,
      facts: { tried: blocked.map(({ remark }) => remark.message) },
    }),
  ];
}

async function tryProvider(patient: Patient, provider: string): Promise<Tried> {
  const told = (remark: Remark, how: Pick<Tried, 'isBlocked' | 'isUnknown'> = {}): Tried => ({
    provider,
    remark,
    ...how,
  });
  const { MX_PORT: port, ALLOW_PRIVATE_MX } = patient.config.settings;
  const mx = await patient.dns.mx(provider);
  if (mx.kind === 'no_answer') return told(unanswered(provider, mx.reason));
  if (mx.kind === 'none')
    return told(skipped({ subject: provider, message: 'DNS knows no mail server of it.' }), { isUnknown: true });
  const [host] = mx.values;
  const found = await patient.dns.addresses(host);
  if (found.kind !== 'found')
    return told(unanswered(provider, found.kind === 'none' ? `${host} has no address` : found.reason));
  const { address, from } = await chooseWay(patient, found.values);
  if (!ALLOW_PRIVATE_MX && !isPublicAddress(address))
    return told(
      error({
        subject: provider,
        message: `DNS says that its mail server ${host} has the address ${address}, which is nobody's on the internet.`,
        fix: 'Use name servers that tell the truth: DNS_SERVERS=<ip of another one>',
      }),
    );
  try {
    const knock = { address, port, host, signal: patient.signal, ...from };
    return told(judgeGreeting(`${provider} (${host})`, await probeSmtp(knock)));
  } catch (problem) {
    const reason = reasonOf(problem);
    return told(
      warning({
        subject: provider,
        message: `${host}, ${address}:${port}, could not be reached: ${reason}.`,
        fix: 'Others could, so this is theirs or passes; look again later.',
      }),
      { isBlocked: true },
    );
  }
}

/** Some refuse an address that they do not trust in the greeting already. */
function judgeGreeting(subject: string, { code, text }: SmtpProbe): Remark {
  const facts = { greeting: text };
  if (code === 220) return ok({ subject, message: `It greets us: ${text.split('\n', 1)[0]}`, facts });
  return error({
    subject,
    message: `It refuses our address in its greeting: ${text.split('\n', 1)[0]}`,
    fix: 'See to the PTR record and the block lists below; the reply often has a link to where the address can be unblocked.',
    facts,
  });
}

/** Of the families that this machine speaks, IPv4 first; from a source of ours where we choose it. */
async function chooseWay(
  patient: Patient,
  found: readonly string[],
): Promise<{ address: string; from: { from?: string } }> {
  const { known, addresses, local } = await patient.sources();
  const own = known === 'pools' ? addresses.map(({ address }) => address) : local;
  for (const address of found) {
    const source = own.find((one) => isIPv6(one) === isIPv6(address));
    if (source !== undefined) return { address, from: known === 'pools' ? { from: source } : {} };
  }
  return { address: found[0], from: {} };
}

async function lookAtSmarthost(patient: Patient): Promise<Remark[]> {
  const { SMARTHOST_URL = '' } = patient.config.settings;
  const route = await new SmarthostRouter(patient.dns.resolver, SMARTHOST_URL).route();
  if (route.kind !== 'targets') {
    const reason = 'reply' in route ? route.reply.text : 'no name server answers';
    return [
      error({
        subject: 'smarthost',
        message: `It cannot be found: ${reason}.`,
        fix: 'Correct SMARTHOST_URL or DNS_SERVERS.',
      }),
    ];
  }
  // One address takes the login for all: providers lock an account after a few wrong passwords.
  return Promise.all(route.targets.map((target, i) => trySmarthost(patient, target, i === 0)));
}

async function trySmarthost({ hostName, signal }: Patient, target: Target, logsIn: boolean): Promise<Remark> {
  const { host, address, port } = target;
  const subject = `${host} (${address}:${port})`;
  try {
    const login = target.login && { ...target.login, isProofNeeded: target.proof.kind === 'webpki' };
    const knock = {
      ...{ address, port, host, ehlo: hostName, isImplicitTls: target.tls === 'implicit', signal },
      ...(login !== null && logsIn ? { login } : {}),
    };
    return judgeSmarthost(subject, target, await probeSmtp(knock));
  } catch (problem) {
    return error({
      subject,
      message: `The smarthost could not be reached: ${reasonOf(problem)}. No mail gets out.`,
      fix: 'Correct SMARTHOST_URL, or let this port through the firewall.',
    });
  }
}

function judgeSmarthost(subject: string, target: Target, probe: SmtpProbe): Remark {
  const facts = { greeting: probe.text, extensions: probe.extensions };
  if (probe.code !== 220) return judgeGreeting(subject, probe);
  if (probe.secured === null && target.login !== null)
    return error({
      subject,
      message: 'It offers no STARTTLS, so the password of SMARTHOST_URL would cross the network in the clear.',
      fix: 'SMARTHOST_URL=smtps://user:password@host:465, or a port of it that offers STARTTLS',
      facts,
    });
  if (target.proof.kind === 'webpki' && probe.secured?.isTrusted === false)
    return error({
      subject,
      message: `Its certificate does not prove its name: ${probe.secured.problem}. Mail is not handed over.`,
      fix: 'Use the name that its certificate has in SMARTHOST_URL.',
      facts,
    });
  if (target.login !== null) return judgeLogin(subject, probe);
  return ok({
    subject,
    message: `It greets us${probe.secured === null ? ', without TLS' : ' and speaks TLS'}.`,
    facts,
  });
}

function judgeLogin(subject: string, { text, extensions, login }: SmtpProbe): Remark {
  const facts = { greeting: text, extensions };
  const mechanisms = mechanismsOf(extensions);
  if (mechanisms === null)
    return error({
      subject,
      message: 'It offers no login (AUTH), but SMARTHOST_URL has a password.',
      fix: 'Use the port for submission (587 or 465) in SMARTHOST_URL, or take the password out.',
      facts,
    });
  if (login === null && mechanisms.some((mechanism) => mechanism === 'PLAIN' || mechanism === 'LOGIN'))
    return ok({
      subject,
      message: 'It greets us, speaks TLS and offers a login, which is tried at the first address alone.',
      facts,
    });
  if (login === null)
    return error({
      subject,
      message: 'It takes neither AUTH PLAIN nor AUTH LOGIN, so nobody can log in with a password. No mail gets out.',
      fix: 'Permit one of them there, or name another server in SMARTHOST_URL.',
      facts,
    });
  if (login.code === 235) return ok({ subject, message: 'It greets us, speaks TLS and takes our login.', facts });
  const told = {
    subject,
    message: `It refuses the login of SMARTHOST_URL: ${login.raw.trim().split(/\r?\n/, 1)[0]}`,
    fix: 'Correct user and password in SMARTHOST_URL; write signs that mean something in a URL as %XX, such as @ as %40.',
    facts,
  };
  // RFC 5321 §4.2.1: what begins with 4 may pass by itself.
  return login.code !== null && login.code < 500 ? warning(told) : error(told);
}

function reasonOf(problem: unknown): string {
  const { code, message } = problem as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
}

const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'no answer in time',
  ECONNREFUSED: 'the connection was refused',
  ENETUNREACH: 'no route leads there',
  EHOSTUNREACH: 'no route leads there',
  ECONNRESET: 'the connection was cut',
};
