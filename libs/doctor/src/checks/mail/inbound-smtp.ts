import { reachableHost } from '../../addresses.js';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { mechanismsOf, probeSmtp, type SmtpProbeOptions } from '../../probes/smtp-probe.js';

/** Bounces and complaints arrive on port 25 of the MX host of `bounces.`. */
export const inboundSmtpCheck: Check = {
  name: 'inbound',
  title: 'Inbound SMTP',
  isAboutDelivery: true,
  run: (context) => Promise.all([checkLocalListener(context), checkMxHost(context)]),
};

async function checkLocalListener(context: CheckContext): Promise<Result> {
  const { SMTP_HOST, INBOUND_SMTP_PORT: port } = context.config.settings;
  const address = reachableHost(SMTP_HOST);
  const subject = `${address}:${port}`;
  try {
    const { kind, greeting } = await identifyServer(context, { address, port, host: context.hostName });
    const facts = { greeting };
    if (kind === 'inbound') return ok({ subject, message: 'The inbound listener answers.', facts });
    if (kind === 'relay')
      return error({
        subject,
        message: 'The relay answers on INBOUND_SMTP_PORT, not the inbound listener.',
        fix: 'Give each of SMTP_PORT and INBOUND_SMTP_PORT a port of its own.',
        facts,
      });
    return error({
      subject,
      message: `Another program answers on INBOUND_SMTP_PORT: ${greeting}`,
      fix: 'Stop that program, or give INBOUND_SMTP_PORT another port.',
      facts,
    });
  } catch (problem) {
    if (!['ready', 'not_ready'].includes((await context.readiness()).kind))
      return skipped({ subject, message: 'Nothing answers, but the service does not run here either.' });
    return error({
      subject,
      message: `The service runs, but its inbound listener does not answer: ${(problem as Error).message}.`,
      fix: 'Look for "inbound" in its log, and whether start:smtp runs.',
    });
  }
}

async function checkMxHost(context: CheckContext): Promise<Result> {
  const { serviceDomain, dns, hostName } = context;
  const subject = `port 25 of bounces.${serviceDomain}`;
  if (context.skipsServiceDns) return skipped({ subject, message: 'SERVICE_DOMAIN is not set.' });
  const mx = await dns.mx(`bounces.${serviceDomain}`);
  if (mx.kind === 'no_answer') return unanswered(subject, mx.reason);
  if (mx.kind === 'none')
    return skipped({ subject, message: 'It has no MX record, so other servers find no host to deliver to.' });
  const [host] = mx.values;
  const found = await dns.addresses(host);
  if (found.kind === 'no_answer') return unanswered(subject, found.reason);
  if (found.kind === 'none')
    return error({
      subject,
      message: `Its MX host ${host} has no address.`,
      fix: `bounces.${serviceDomain}. MX 10 ${hostName}.`,
    });
  return checkMxAddress(context, { subject, host, address: found.values[0] });
}

interface MxAddress {
  subject: string;
  host: string;
  address: string;
}

async function checkMxAddress(context: CheckContext, { subject, host, address }: MxAddress): Promise<Result> {
  const { MX_PORT: port, INBOUND_SMTP_PORT } = context.config.settings;
  try {
    const { kind, greeting } = await identifyServer(context, { address, port, host });
    const facts = { host, address, greeting };
    if (kind === 'inbound')
      return ok({ subject, message: `Our inbound listener answers at ${host} (${address}).`, facts });
    if (kind === 'relay')
      return error({
        subject,
        message: `Our relay answers at ${host} (${address}), not the inbound listener: it requires a login, so bounces and complaints are refused.`,
        fix: `Lead port 25 of ${address} to INBOUND_SMTP_PORT (${INBOUND_SMTP_PORT}), not to SMTP_PORT.`,
        facts,
      });
    return error({
      subject,
      message: `Another server answers at ${host} (${address}): ${greeting.split('\n', 1)[0]} Bounces go there and get lost.`,
      fix: `Lead port 25 of ${address} to INBOUND_SMTP_PORT (${INBOUND_SMTP_PORT}) of this machine, or the MX record to ${context.hostName}.`,
      facts,
    });
  } catch (problem) {
    return warning({
      subject,
      message: `${host} (${address}) does not answer on port ${port}: ${(problem as Error).message}. In some networks a machine cannot reach its own public address, so try from elsewhere: nc ${host} 25`,
      fix: `Lead port 25 to INBOUND_SMTP_PORT, for example:\nnft add rule ip nat prerouting tcp dport 25 redirect to :${INBOUND_SMTP_PORT}\n(a container: publish it with -p 25:${INBOUND_SMTP_PORT}), and open port 25 in the firewall. SMTP_HOST=0.0.0.0 listens on all addresses.`,
    });
  }
}

interface Server {
  kind: 'inbound' | 'relay' | 'other';
  greeting: string;
}

/** Both of our listeners send the same greeting, but only the relay offers AUTH. */
async function identifyServer(
  { hostName, signal }: CheckContext,
  target: Pick<SmtpProbeOptions, 'address' | 'port' | 'host'>,
): Promise<Server> {
  const { text: greeting } = await probeSmtp({ ...target, signal });
  if (!/^220[ -]/.test(greeting) || greeting.slice(4).split(/\s/, 1)[0].toLowerCase() !== hostName)
    return { kind: 'other', greeting };
  const { extensions } = await probeSmtp({ ...target, ehlo: hostName, signal });
  return { kind: mechanismsOf(extensions) === null ? 'inbound' : 'relay', greeting };
}
