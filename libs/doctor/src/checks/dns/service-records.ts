import { walkDmarc } from '#libs/domains';
import { addressRecords, isSameAddress } from '../../addresses.js';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

/** The records that docs/operator-dns.md lists, except SPF, which has a check of its own. */
export const serviceRecordsCheck: Check = {
  name: 'dns',
  title: 'DNS of the service',
  isAboutDelivery: true,
  run: async (context) => {
    if (context.skipsServiceDns)
      return [skipped({ subject: context.serviceDomain, message: 'SERVICE_DOMAIN is not set.' })];
    const checks = [checkHost, checkBouncesMx, checkServiceMx, checkDmarc, checkReportPermission, checkTracking];
    return Promise.all(checks.map((check) => check(context)));
  },
};

async function checkHost(context: CheckContext): Promise<Result> {
  const subject = context.hostName;
  const answer = await context.dns.addresses(subject);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  if (answer.kind === 'found') {
    const facts = { addresses: answer.values };
    const alias = await context.dns.aliases(subject);
    if (alias.kind !== 'found')
      return ok({ subject, message: `It has the address ${answer.values.join(', ')}.`, facts });
    return warning({
      subject,
      message: `It is an alias (CNAME) of ${alias.values.join(', ')}. Neither the name of a greeting (RFC 5321 §2.3.5) nor an MX host (RFC 2181 §10.3) may be one, and some servers refuse both.`,
      fix: addressRecords(subject, answer.values),
      facts,
    });
  }
  return error({
    subject,
    message:
      'This name does not exist. It is our name in greetings, the address of the relay for customers, and the MX host for bounces.',
    fix: await hostRecords(context),
  });
}

async function hostRecords(context: CheckContext): Promise<string> {
  const { addresses } = await context.sourceAddresses();
  const known = addresses.map(({ address }) => address);
  return addressRecords(context.hostName, known.length > 0 ? known : ['<the address that the world sees>']);
}

function checkBouncesMx(context: CheckContext): Promise<Result> {
  return checkMx(context, {
    subject: `bounces.${context.serviceDomain}`,
    arrives: 'Bounces arrive at',
    missing: 'It is the sender domain of every mail: later bounces get lost, and some receivers refuse such senders.',
    elsewhere: (details, hosts) =>
      error({
        ...details,
        message: `Its MX record leads to ${hosts}, which is not this service: bounces and complaints never arrive here.`,
      }),
  });
}

function checkServiceMx(context: CheckContext): Promise<Result> {
  const subject = context.serviceDomain;
  return checkMx(context, {
    subject,
    arrives: 'Its mail arrives at',
    missing: 'Complaints (fbl@, abuse@), reports (dmarc@, tlsrpt@) and mail to postmaster@ cannot reach you.',
    elsewhere: (details, hosts) =>
      warning({
        ...details,
        message: `Its MX record leads to ${hosts}. Complaints and reports count only if they are handed on from there.`,
        // Forwarding to other addresses would not do: these mailboxes exist at this domain only.
        fix: `${details.fix}\nor let that server hand fbl@, abuse@, postmaster@, dmarc@ and tlsrpt@ over to ${context.hostName} unchanged.`,
      }),
  });
}

interface MxExpectation {
  /** The name that needs an MX record. */
  subject: string;
  /** Beginning of the sentence that names the MX hosts. */
  arrives: string;
  /** The consequence of a missing record. */
  missing: string;
  elsewhere: (details: { subject: string; fix: string; facts: Record<string, unknown> }, hosts: string) => Result;
}

async function checkMx(context: CheckContext, expectation: MxExpectation): Promise<Result> {
  const { subject, arrives, missing, elsewhere } = expectation;
  const fix = `${subject}. MX 10 ${context.hostName}.`;
  const found = await findMxHosts(context, subject);
  if (found.kind === 'no_answer') return unanswered(subject, found.reason);
  if (found.kind === 'none') return error({ subject, message: `It has no MX record. ${missing}`, fix });
  const { hosts, foreign, aliases } = found;
  const facts = { exchanges: hosts };
  if (found.kind === 'elsewhere') return elsewhere({ subject, fix, facts }, foreign.join(', '));
  if (foreign.length > 0)
    return warning({
      subject,
      message: `${arrives} this service first, and while it does not answer to ${foreign.join(', ')}, where they get lost.`,
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
  return ok({ subject, message: `${arrives} ${hosts.join(', ')}, which is this service.` });
}

interface MxHosts {
  /** `elsewhere`: one of the preferred hosts is not ours. */
  kind: 'ours' | 'elsewhere';
  hosts: string[];
  /** The hosts that are not ours; with `elsewhere` only the preferred ones. */
  foreign: string[];
  /** The hosts that are aliases, except our own name, which has a result of its own. */
  aliases: string[];
}
type NoAnswer = { kind: 'no_answer'; reason: string };

interface MxHost {
  host: string;
  isOurs: boolean;
  isAlias: boolean;
  /** Set when a failed query leaves open whether the host is ours. */
  failure?: NoAnswer;
}

/** The MX hosts of a name. Ours are our own name and hosts that have an address of it or one of our source addresses. */
async function findMxHosts(context: CheckContext, name: string): Promise<NoAnswer | { kind: 'none' } | MxHosts> {
  const answer = await context.dns.mx(name);
  if (answer.kind !== 'found') return answer;
  const { values: hosts, preferred } = answer;
  const [own, { addresses }] = await Promise.all([context.dns.addresses(context.hostName), context.sourceAddresses()]);
  const ourAddresses = [...(own.kind === 'found' ? own.values : []), ...addresses.map(({ address }) => address)];
  const classify = async (host: string): Promise<MxHost> => {
    if (host === context.hostName) return { host, isOurs: true, isAlias: false };
    const [found, alias] = await Promise.all([context.dns.addresses(host), context.dns.aliases(host)]);
    const values = found.kind === 'found' ? found.values : [];
    const isOurs = values.some((one) => ourAddresses.some((other) => isSameAddress(one, other)));
    const failure = isOurs ? undefined : [found, own].find((one) => one.kind === 'no_answer');
    return { host, isOurs, isAlias: alias.kind === 'found', failure };
  };
  const classified = await Promise.all(hosts.map(classify));
  const foreign = classified.filter(({ isOurs, failure }) => !isOurs && !failure).map(({ host }) => host);
  const aliases = classified.filter(({ isAlias }) => isAlias).map(({ host }) => host);
  const preferredForeign = foreign.filter((host) => preferred.includes(host));
  if (preferredForeign.length > 0) return { kind: 'elsewhere', hosts, foreign: preferredForeign, aliases };
  const undecided = classified.find(({ failure }) => failure !== undefined);
  return undecided?.failure ?? { kind: 'ours', hosts, foreign, aliases };
}

async function checkDmarc({ dns, serviceDomain }: CheckContext): Promise<Result> {
  const subject = `_dmarc.${serviceDomain}`;
  const outcome = await walkDmarc(serviceDomain, (name) => dns.texts(name));
  const fix = `${subject}. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${serviceDomain}"`;
  switch (outcome.verdict) {
    case 'unanswered':
      return unanswered(subject, outcome.error);
    case 'verified':
      return ok({ subject, message: outcome.observed[0] });
    case 'missing':
      return error({
        subject,
        message: 'There is no DMARC record, neither here nor at a parent domain. Large providers require one.',
        fix,
      });
    case 'wrong':
      return error({
        subject,
        message: outcome.error ?? 'It is not a DMARC record.',
        fix,
        facts: { observed: outcome.observed },
      });
  }
}

/** Queried for a domain of RFC 2606, since the permission must hold for the domain of any customer. */
async function checkReportPermission({ dns, serviceDomain }: CheckContext): Promise<Result> {
  const subject = `*._report._dmarc.${serviceDomain}`;
  const answer = await dns.texts(`example.com._report._dmarc.${serviceDomain}`);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  const texts = answer.kind === 'found' ? answer.values : [];
  if (texts.some((text) => /^v=DMARC1\s*(?:;|$)/.test(text)))
    return ok({ subject, message: 'DMARC reports about domains of customers may be sent here.' });
  return warning({
    subject,
    message: `Receivers send no DMARC reports about customers' domains to dmarc@${serviceDomain} without this permission (RFC 9990 §4).`,
    fix: `${subject}. TXT "v=DMARC1;"`,
    facts: { observed: texts },
  });
}

async function checkTracking({ dns, serviceDomain, hostName }: CheckContext): Promise<Result> {
  const subject = `track.${serviceDomain}`;
  const answer = await dns.addresses(subject);
  if (answer.kind === 'no_answer') return unanswered(subject, answer.reason);
  if (answer.kind === 'found') return ok({ subject, message: `It has the address ${answer.values.join(', ')}.` });
  return warning({
    subject,
    message: 'It leads nowhere. Tracking names of customers (track.<domain>) are aliases of it.',
    fix: `${subject}. CNAME ${hostName}.`,
  });
}
