import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import { localHost } from '../local-host.js';
import type { Patient } from '../patient.js';
import { mechanismsOf, probeSmtp, type Knock } from '../smtp-probe.js';

/** Bounces and complaints come to port 25 of the MX host of `bounces.`. */
export const inboundCheck: Check = {
  name: 'inbound',
  title: 'Way in',
  asks: 'Does the inbound door answer here, and at the host that DNS names for bounces?',
  isOfDelivery: true,
  look: (patient) => Promise.all([lookAtDoor(patient), lookAtExchange(patient)]),
};

async function lookAtDoor(patient: Patient): Promise<Remark> {
  const { SMTP_HOST, INBOUND_SMTP_PORT: port } = patient.config.settings;
  const address = localHost(SMTP_HOST);
  const subject = `${address}:${port}`;
  try {
    const door = await lookThrough(patient, { address, port, host: patient.hostName });
    const { text } = door;
    if (door.is === 'inbound') return ok({ subject, message: 'The inbound door answers.', facts: { greeting: text } });
    if (door.is === 'relay')
      return error({
        subject,
        message: 'The relay answers on INBOUND_SMTP_PORT, not the inbound door.',
        fix: 'Give each of SMTP_PORT and INBOUND_SMTP_PORT a port of its own.',
        facts: { greeting: text },
      });
    return error({
      subject,
      message: `Another program answers on INBOUND_SMTP_PORT: ${text}`,
      fix: 'Stop that program, or give INBOUND_SMTP_PORT another port.',
      facts: { greeting: text },
    });
  } catch (problem) {
    if (!['ready', 'unready'].includes((await patient.readiness()).kind))
      return skipped({ subject, message: 'Nothing answers, but the service does not run here either.' });
    return error({
      subject,
      message: `The service runs, but its inbound door does not answer: ${(problem as Error).message}.`,
      fix: 'Look into its log for "inbound", and whether start:smtp runs.',
    });
  }
}

async function lookAtExchange(patient: Patient): Promise<Remark> {
  const { service, dns, hostName } = patient;
  const subject = `port 25 of bounces.${service}`;
  if (patient.isUnnamed) return skipped({ subject, message: 'SERVICE_DOMAIN is not set.' });
  const { MX_PORT: port, INBOUND_SMTP_PORT } = patient.config.settings;
  const mx = await dns.mx(`bounces.${service}`);
  if (mx.kind === 'no_answer') return unanswered(subject, mx.reason);
  if (mx.kind === 'none') return skipped({ subject, message: 'It has no MX record, so nobody knows where to go.' });
  const [host] = mx.values;
  const found = await dns.addresses(host);
  if (found.kind === 'no_answer') return unanswered(subject, found.reason);
  if (found.kind === 'none')
    return error({
      subject,
      message: `Its MX host ${host} has no address.`,
      fix: `bounces.${service}. MX 10 ${hostName}.`,
    });
  const [address] = found.values;
  try {
    const door = await lookThrough(patient, { address, port, host });
    const { text } = door;
    const facts = { host, address, greeting: text };
    if (door.is === 'inbound')
      return ok({ subject, message: `Our inbound door answers at ${host} (${address}).`, facts });
    if (door.is === 'relay')
      return error({
        subject,
        message: `Our relay answers at ${host} (${address}), not the inbound door: it asks for a login, so bounces and complaints are refused.`,
        fix: `Lead port 25 of ${address} to INBOUND_SMTP_PORT (${INBOUND_SMTP_PORT}), not to SMTP_PORT.`,
        facts,
      });
    return error({
      subject,
      message: `Another server answers at ${host} (${address}): ${text.split('\n', 1)[0]} Bounces go there and get lost.`,
      fix: `Lead port 25 of ${address} to INBOUND_SMTP_PORT (${INBOUND_SMTP_PORT}) of this machine, or the MX record to ${hostName}.`,
      facts,
    });
  } catch (problem) {
    return warning({
      subject,
      message: `${host} (${address}) does not answer on port ${port}: ${(problem as Error).message}. Some networks do not let a machine reach its own public address, so look from elsewhere: nc ${host} 25`,
      fix: `Lead port 25 to INBOUND_SMTP_PORT, for example:\nnft add rule ip nat prerouting tcp dport 25 redirect to :${INBOUND_SMTP_PORT}\n(a container: publish it with -p 25:${INBOUND_SMTP_PORT}), and let port 25 through the firewall. SMTP_HOST=0.0.0.0 lets the world in.`,
    });
  }
}

interface Door {
  is: 'inbound' | 'relay' | 'foreign';
  /** Its greeting. */
  text: string;
}

/** Both doors greet alike; the relay alone offers a login. */
async function lookThrough(
  { hostName, signal }: Patient,
  place: Pick<Knock, 'address' | 'port' | 'host'>,
): Promise<Door> {
  const greeted = await probeSmtp({ ...place, signal });
  const { text } = greeted;
  if (!/^220[ -]/.test(text) || text.slice(4).split(/\s/, 1)[0].toLowerCase() !== hostName)
    return { is: 'foreign', text };
  const { extensions } = await probeSmtp({ ...place, ehlo: hostName, signal });
  return { is: mechanismsOf(extensions) === null ? 'inbound' : 'relay', text };
}
