import { walkDmarc } from '#libs/domains';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import { isSameAddress } from '../same-address.js';

/** What docs/operator-dns.md asks for, SPF left out: it has a check of its own. */
export const operatorRecordsCheck: Check = {
  name: 'dns',
  title: 'DNS of the service',
  asks: 'Do the records of the service stand: smtp., bounces., track., MX, DMARC, the permission for reports?',
  isOfDelivery: true,
  look: async (patient) => {
    if (patient.isUnnamed) return [skipped({ subject: patient.service, message: 'SERVICE_DOMAIN is not set.' })];
    const looks = [lookAtHost, lookAtBounces, lookAtService, lookAtDmarc, lookAtReports, lookAtTracking];
    return Promise.all(looks.map((look) => look(patient)));
  },
};

async function lookAtHost(patient: Patient): Promise<Remark> {
  const subject = patient.hostName;
  const answer = await patient.dns.addresses(subject);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  if (answer.kind === 'found') {
    const facts = { addresses: answer.values };
    const alias = await patient.dns.aliases(subject);
    if (alias.kind !== 'found') return ok({ subject, message: `It leads to ${answer.values.join(', ')}.`, facts });
    return warning({
      subject,
      message: `It is an alias (CNAME) of ${alias.values.join(', ')}. Neither the name of a greeting (RFC 5321 §2.3.5) nor an MX host (RFC 2181 §10.3) may be one, and some servers refuse both.`,
      fix: addressLines(subject, answer.values),
      facts,
    });
  }
  return error({
    subject,
    message:
      'This name does not exist. We greet other servers with it, customers find the relay there, and bounces come back to it.',
    fix: await hostLines(patient),
  });
}

function lookAtBounces(patient: Patient): Promise<Remark> {
  return lookAtExchange(patient, {
    subject: `bounces.${patient.service}`,
    here: 'Bounces come to',
    none: 'Every mail names it as its sender: later bounces get lost, and some receivers refuse senders that take no mail.',
    elsewhere: (finding, to) =>
      error({
        ...finding,
        message: `Its MX record leads to ${to}, which is not this service: bounces and complaints never arrive here.`,
      }),
  });
}

function lookAtService(patient: Patient): Promise<Remark> {
  const subject = patient.service;
  return lookAtExchange(patient, {
    subject,
    here: 'Its mail comes to',
    none: 'Complaints (fbl@, abuse@), reports (dmarc@, tlsrpt@) and mail to postmaster@ cannot reach you.',
    elsewhere: (finding, to) =>
      warning({
        ...finding,
        message: `Its MX record leads to ${to}. Complaints and reports count only if they are handed on from there.`,
        // Not to other addresses: the door knows these mailboxes at this domain alone.
        fix: `${finding.fix}\nor let that server hand fbl@, abuse@, postmaster@, dmarc@ and tlsrpt@ over to ${patient.hostName} as they are.`,
      }),
  });
}

interface ExchangeWords {
  /** The name that should have an MX record. */
  subject: string;
  here: string;
  none: string;
  elsewhere: (finding: { subject: string; fix: string; facts: Record<string, unknown> }, to: string) => Remark;
}

async function lookAtExchange(patient: Patient, { subject, here, none, elsewhere }: ExchangeWords): Promise<Remark> {
  const fix = `${subject}. MX 10 ${patient.hostName}.`;
  const found = await findExchange(patient, subject);
  if (found.kind === 'no_answer') return unanswered(subject, found.reason);
  if (found.kind === 'none') return error({ subject, message: `It has no MX record. ${none}`, fix });
  const { exchanges, strangers, aliases } = found;
  const facts = { exchanges };
  if (found.kind === 'elsewhere') return elsewhere({ subject, fix, facts }, strangers.join(', '));
  if (strangers.length > 0)
    return warning({
      subject,
      message: `${here} this service first, but while it does not answer to ${strangers.join(', ')}, where they get lost.`,
      fix: `Keep one MX record, senders try again: ${fix}`,
      facts,
    });
  if (aliases.length > 0)
    return warning({
      subject,
      message: `Its MX host ${aliases.join(', ')} is an alias (CNAME), which RFC 2181 §10.3 forbids; some servers do not deliver there.`,
      fix,
      facts,
    });
  return ok({ subject, message: `${here} ${exchanges.join(', ')}, which is here.` });
}

async function lookAtDmarc({ dns, service }: Patient): Promise<Remark> {
  const subject = `_dmarc.${service}`;
  const outcome = await walkDmarc(service, (name) => dns.texts(name));
  const fix = `${subject}. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${service}"`;
  switch (outcome.verdict) {
    case 'unanswered':
      return unanswered(subject, outcome.error);
    case 'verified':
      return ok({ subject, message: outcome.observed[0] });
    case 'missing':
      return error({
        subject,
        message: 'There is no DMARC record, neither here nor at a parent domain. Large providers ask for one.',
        fix,
      });
    case 'wrong':
      return error({
        subject,
        message: outcome.error ?? 'It is no DMARC record.',
        fix,
        facts: { observed: outcome.observed },
      });
  }
}

/** Asked for a domain of nobody (RFC 2606): any customer's must be permitted. */
async function lookAtReports({ dns, service }: Patient): Promise<Remark> {
  const subject = `*._report._dmarc.${service}`;
  const answer = await dns.texts(`example.com._report._dmarc.${service}`);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  const texts = answer.kind === 'found' ? answer.values : [];
  if (texts.some((text) => /^v=DMARC1\s*(?:;|$)/.test(text)))
    return ok({ subject, message: 'DMARC reports about customers may be sent here.' });
  return warning({
    subject,
    message: `Receivers send no DMARC reports about customers' domains to dmarc@${service} without this permission (RFC 9990 §4).`,
    fix: `${subject}. TXT "v=DMARC1;"`,
    facts: { observed: texts },
  });
}

async function lookAtTracking({ dns, service, hostName }: Patient): Promise<Remark> {
  const subject = `track.${service}`;
  const answer = await dns.addresses(subject);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  if (answer.kind === 'found') return ok({ subject, message: `It leads to ${answer.values.join(', ')}.` });
  return warning({
    subject,
    message: "It leads nowhere. Links under customers' own names (track.<domain>) lead through it.",
    fix: `${subject}. CNAME ${hostName}.`,
  });
}

interface Exchanges {
  /** `elsewhere`: of those that mail goes to first, one is not ours. */
  kind: 'ours' | 'elsewhere';
  exchanges: string[];
  /** Those that do not lead here; where it is `elsewhere`, of the first ones alone. */
  strangers: string[];
  /** Those that are aliases; our own name is looked at by itself. */
  aliases: string[];
}
type Silence = { kind: 'no_answer'; reason: string };
type Found = Silence | { kind: 'none' } | Exchanges;

interface Looked {
  exchange: string;
  isOurs: boolean;
  isAlias: boolean;
  /** DNS does not tell the addresses that say whether it is ours. */
  silence?: Silence;
}

/** Whether mail to a name comes here: to our name, or to an address that our name or mail of ours has. */
async function findExchange(patient: Patient, name: string): Promise<Found> {
  const answer = await patient.dns.mx(name);
  if (answer.kind !== 'found') return answer;
  const { values: exchanges, first } = answer;
  const [own, { addresses }] = await Promise.all([patient.dns.addresses(patient.hostName), patient.sources()]);
  const ours = [...(own.kind === 'found' ? own.values : []), ...addresses.map(({ address }) => address)];
  const looks = exchanges.map(async (exchange): Promise<Looked> => {
    if (exchange === patient.hostName) return { exchange, isOurs: true, isAlias: false };
    const [found, alias] = await Promise.all([patient.dns.addresses(exchange), patient.dns.aliases(exchange)]);
    const leads = found.kind === 'found' ? found.values : [];
    const isOurs = leads.some((one) => ours.some((other) => isSameAddress(one, other)));
    const silence = isOurs ? undefined : [found, own].find((one) => one.kind === 'no_answer');
    return { exchange, isOurs, isAlias: alias.kind === 'found', silence };
  });
  const looked = await Promise.all(looks);
  const strangers = looked.filter(({ isOurs, silence }) => !isOurs && !silence).map(({ exchange }) => exchange);
  const wanted = strangers.filter((exchange) => first.includes(exchange));
  const aliases = looked.filter(({ isAlias }) => isAlias).map(({ exchange }) => exchange);
  if (wanted.length > 0) return { kind: 'elsewhere', exchanges, strangers: wanted, aliases };
  const open = looked.find(({ silence }) => silence !== undefined);
  return open?.silence ?? { kind: 'ours', exchanges, strangers, aliases };
}

async function hostLines(patient: Patient): Promise<string> {
  const { addresses } = await patient.sources();
  const known = addresses.length > 0 ? addresses.map(({ address }) => address) : ['<the address that the world sees>'];
  return addressLines(patient.hostName, known);
}

const addressLines = (name: string, addresses: readonly string[]): string =>
  addresses.map((at) => `${name}. ${at.includes(':') ? 'AAAA' : 'A'} ${at}`).join('\n');
