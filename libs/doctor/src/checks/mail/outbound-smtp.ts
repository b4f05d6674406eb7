import { isPublicAddress } from '#libs/kernel';
import { SmarthostRouter, type MxEndpoint } from '#libs/mta';
import { isIPv6 } from 'node:net';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { mechanismsOf, probeSmtp, type SmtpProbe } from '../../probes/smtp-probe.js';

/** Large enough that at least one of them is up. */
const PROVIDERS = ['gmail.com', 'outlook.com', 'yahoo.com'];
const OPEN_PORT =
  'Ask the hosting provider to open outbound TCP port 25 for this machine (most do on request), check your own firewall,\nor send through a smarthost:\nDELIVERY_MODE=smarthost\nSMARTHOST_URL=smtp://user:password@host:587';

/** Most hosting providers block outbound port 25 for new customers. Only greetings are read; no mail is sent. */
export const outboundSmtpCheck: Check = {
  name: 'port-25',
  title: 'Outbound SMTP',
  isAboutDelivery: true,
  run: (context) =>
    context.config.settings.DELIVERY_MODE === 'smarthost' ? checkSmarthost(context) : checkProviders(context),
};

interface ProviderResult {
  provider: string;
  result: Result;
  /** The connection failed, as it does where the port is blocked. */
  isUnreachable?: boolean;
  /** DNS has no MX record for the provider. */
  isUnknown?: boolean;
}

async function checkProviders(context: CheckContext): Promise<Result[]> {
  const results = await Promise.all(PROVIDERS.map((provider) => checkProvider(context, provider)));
  const unreachable = results.filter(({ isUnreachable }) => isUnreachable);
  const { MX_PORT } = context.config.settings;
  if (results.every(({ isUnknown }) => isUnknown))
    return [
      error({
        subject: 'internet',
        message: `DNS knows no mail server of ${PROVIDERS.join(', ')}, so this is a network without the internet.`,
        fix: 'DNS_SERVERS=<a name server that resolves names of the internet>',
      }),
    ];
  if (unreachable.length === 0 || results.some(({ result }) => result.status === 'ok'))
    return results.map(({ result }) => result);
  return [
    error({
      subject: `port ${MX_PORT} outbound`,
      message: `None of ${unreachable.map(({ provider }) => provider).join(', ')} could be reached: the hosting provider or a firewall blocks the port. No mail gets out.`,
      fix: OPEN_PORT,
      facts: { tried: unreachable.map(({ result }) => result.message) },
    }),
  ];
}

async function checkProvider(context: CheckContext, provider: string): Promise<ProviderResult> {
  const { MX_PORT: port, ALLOW_PRIVATE_MX } = context.config.settings;
  const mx = await context.dns.mx(provider);
  if (mx.kind === 'no_answer') return { provider, result: unanswered(provider, mx.reason) };
  if (mx.kind === 'none')
    return {
      provider,
      result: skipped({ subject: provider, message: 'DNS knows no mail server of it.' }),
      isUnknown: true,
    };
  const [host] = mx.values;
  const found = await context.dns.addresses(host);
  if (found.kind !== 'found')
    return { provider, result: unanswered(provider, found.kind === 'none' ? `${host} has no address` : found.reason) };
  const { address, from } = await chooseAddress(context, found.values);
  if (!ALLOW_PRIVATE_MX && !isPublicAddress(address))
    return { provider, result: falseAddress(provider, host, address) };
  try {
    const probe = await probeSmtp({ address, port, host, signal: context.signal, ...from });
    return { provider, result: checkGreeting(`${provider} (${host})`, probe) };
  } catch (problem) {
    const result = warning({
      subject: provider,
      message: `${host}, ${address}:${port}, could not be reached: ${reasonOf(problem)}.`,
      fix: 'Others could be reached, so this is a fault of theirs or a passing one; look again later.',
    });
    return { provider, result, isUnreachable: true };
  }
}

const falseAddress = (provider: string, host: string, address: string): Result =>
  error({
    subject: provider,
    message: `DNS says that its mail server ${host} has the address ${address}, which is nobody's on the internet.`,
    fix: 'Use name servers that give true answers: DNS_SERVERS=<ip of another one>',
  });

/** Some servers reject an address as early as in their greeting. */
function checkGreeting(subject: string, { code, text }: SmtpProbe): Result {
  const facts = { greeting: text };
  if (code === 220) return ok({ subject, message: `It greets us: ${text.split('\n', 1)[0]}`, facts });
  return error({
    subject,
    message: `It refuses our address in its greeting: ${text.split('\n', 1)[0]}`,
    fix: 'Check the PTR record and the block lists below; the reply often has a link to a page for removal.',
    facts,
  });
}

/** An address of a family that this machine can send from, IPv4 first, with one of our sources where they are set. */
async function chooseAddress(
  context: CheckContext,
  found: readonly string[],
): Promise<{ address: string; from: { from?: string } }> {
  const { origin, addresses, local } = await context.sourceAddresses();
  const own = origin === 'pools' ? addresses.map(({ address }) => address) : local;
  for (const address of found) {
    const source = own.find((one) => isIPv6(one) === isIPv6(address));
    if (source !== undefined) return { address, from: origin === 'pools' ? { from: source } : {} };
  }
  return { address: found[0], from: {} };
}

async function checkSmarthost(context: CheckContext): Promise<Result[]> {
  const { SMARTHOST_URL = '' } = context.config.settings;
  const route = await new SmarthostRouter(context.dns.resolver, SMARTHOST_URL).route();
  if (route.kind !== 'endpoints') {
    const reason = 'reply' in route ? route.reply.text : 'no name server answers';
    return [
      error({
        subject: 'smarthost',
        message: `It cannot be found: ${reason}.`,
        fix: 'Correct SMARTHOST_URL or DNS_SERVERS.',
      }),
    ];
  }
  // Only one login: providers lock an account after a few wrong passwords.
  return Promise.all(route.endpoints.map((endpoint, i) => checkSmarthostAddress(context, endpoint, i === 0)));
}

async function checkSmarthostAddress(
  { hostName, signal }: CheckContext,
  endpoint: MxEndpoint,
  logsIn: boolean,
): Promise<Result> {
  const { host, address, port } = endpoint;
  const subject = `${host} (${address}:${port})`;
  try {
    const login = endpoint.login && { ...endpoint.login, isProofNeeded: endpoint.requirement.kind === 'webpki' };
    const options = {
      ...{ address, port, host, ehlo: hostName, isImplicitTls: endpoint.tls === 'implicit', signal },
      ...(login !== null && logsIn ? { login } : {}),
    };
    return checkSmarthostProbe(subject, endpoint, await probeSmtp(options));
  } catch (problem) {
    return error({
      subject,
      message: `The smarthost could not be reached: ${reasonOf(problem)}. No mail gets out.`,
      fix: 'Correct SMARTHOST_URL, or open this port in the firewall.',
    });
  }
}

function checkSmarthostProbe(subject: string, endpoint: MxEndpoint, probe: SmtpProbe): Result {
  const facts = { greeting: probe.text, extensions: probe.extensions };
  if (probe.code !== 220) return checkGreeting(subject, probe);
  if (probe.tls === null && endpoint.login !== null)
    return error({
      subject,
      message: 'It offers no STARTTLS, so the password of SMARTHOST_URL would cross the network in the clear.',
      fix: 'SMARTHOST_URL=smtps://user:password@host:465, or a port of it that offers STARTTLS',
      facts,
    });
  if (endpoint.requirement.kind === 'webpki' && probe.tls?.isTrusted === false)
    return error({
      subject,
      message: `Its certificate does not prove its name: ${probe.tls.problem}. Mail is not handed over.`,
      fix: 'Use a name in SMARTHOST_URL that its certificate contains.',
      facts,
    });
  if (endpoint.login !== null) return checkLogin(subject, probe);
  return ok({ subject, message: `It greets us${probe.tls === null ? ', without TLS' : ' and speaks TLS'}.`, facts });
}

function checkLogin(subject: string, { text, extensions, login }: SmtpProbe): Result {
  const facts = { greeting: text, extensions };
  const mechanisms = mechanismsOf(extensions);
  if (mechanisms === null)
    return error({
      subject,
      message: 'It offers no login (AUTH), but SMARTHOST_URL has a password.',
      fix: 'Use the port for submission (587 or 465) in SMARTHOST_URL, or remove the password.',
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
      message:
        'It takes neither AUTH PLAIN nor AUTH LOGIN, so a login with a password is impossible. No mail gets out.',
      fix: 'Permit one of them there, or name another server in SMARTHOST_URL.',
      facts,
    });
  if (login.code === 235) return ok({ subject, message: 'It greets us, speaks TLS and takes our login.', facts });
  const details = {
    subject,
    message: `It refuses the login of SMARTHOST_URL: ${login.raw.trim().split(/\r?\n/, 1)[0]}`,
    fix: 'Correct user and password in SMARTHOST_URL; reserved characters of URLs are written as %XX, such as @ as %40.',
    facts,
  };
  // Replies 4xx are temporary (RFC 5321 §4.2.1).
  return login.code !== null && login.code < 500 ? warning(details) : error(details);
}

const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'no answer in time',
  ECONNREFUSED: 'the connection was refused',
  ENETUNREACH: 'there is no route to it',
  EHOSTUNREACH: 'there is no route to it',
  ECONNRESET: 'the connection was reset',
};

function reasonOf(problem: unknown): string {
  const { code, message } = problem as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
}
