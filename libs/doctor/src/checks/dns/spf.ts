import { type SpfEvaluation, spf } from '#libs/domains';
import type { SourceAddress } from '#libs/mta';
import { spfTerm } from '../../addresses.js';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

/** Void lookups that many receivers allow (RFC 7208 §4.6.4). */
const MAX_VOID_LOOKUPS = 2;

/** Evaluates the records as receivers do, for every source address. */
export const spfCheck: Check = {
  name: 'spf',
  title: 'SPF',
  isAboutDelivery: true,
  run: async (context) => {
    const { serviceDomain } = context;
    const included = `spf.${serviceDomain}`;
    if (context.skipsServiceDns) return [skipped({ subject: included, message: 'SERVICE_DOMAIN is not set.' })];
    const { origin, addresses: sources } = await context.sourceAddresses();
    const terms = sources.map(({ address }) => spfTerm(address)).join(' ') || 'ip4:<address of this machine>';
    const base =
      origin === 'smarthost'
        ? [
            skipped({
              subject: included,
              message: 'It must list the addresses of the smarthost, which are not known here.',
            }),
          ]
        : await checkRecord(context, included, { sources, record: `v=spf1 ${terms} -all`, cause: null });
    const cause = base.some(({ status }) => status === 'error') ? included : null;
    const expected = { sources, record: `v=spf1 include:${included} -all`, cause };
    const others = await Promise.all(
      [`bounces.${serviceDomain}`, serviceDomain].map((name) => checkRecord(context, name, expected)),
    );
    return [...base, ...others.flat(), ...(await checkLookupCost(context))];
  },
};

interface Expected {
  sources: readonly SourceAddress[];
  /** A record that is right. */
  record: string;
  /** A faulty record. Where the examined record includes it, only that one needs to be corrected. Null: none is faulty. */
  cause: string | null;
}

async function checkRecord({ dns }: CheckContext, name: string, expected: Expected): Promise<Result[]> {
  const { sources, cause } = expected;
  const answer = await dns.texts(name);
  if (answer.kind === 'no_answer') return [unanswered(name, answer.reason)];
  const records = (answer.kind === 'found' ? answer.values : []).filter(spf.isRecord);
  const fix = `${name}. TXT "${expected.record}"`;
  if (records.length === 0)
    return [error({ subject: name, message: 'It has no SPF record, so mail passes SPF nowhere.', fix })];
  if (records.length > 1)
    return [
      error({
        subject: name,
        message: `It has ${records.length} SPF records, which makes all of them invalid (RFC 7208 §4.5).`,
        fix: `Keep one: ${fix}`,
        facts: { records },
      }),
    ];
  const [record] = records;
  const evaluations = await Promise.all(
    sources.map(async ({ address, heloName: helo }) => ({
      address,
      found: await spf.checkHost({ address, domain: name, helo }, dns),
    })),
  );
  const includesCause = cause !== null && spf.judge(records, cause).verdict === 'verified';
  const examined = { name, record, fix, cause: includesCause ? cause : null };
  const results = [...checkEvaluations(examined, evaluations), ...checkEnd(examined)];
  if (results.length > 0) return results;
  const message =
    sources.length === 0 ? 'It is well formed.' : `It lets ${sources.map(({ address }) => address).join(', ')} pass.`;
  return [ok({ subject: name, message, facts: { record } })];
}

interface Evaluation {
  address: string;
  found: SpfEvaluation;
}
interface Examined {
  name: string;
  record: string;
  /** The record to publish, as a line of a zone file. */
  fix: string;
  /** As in `Expected`, if this record includes it. */
  cause: string | null;
}

/** One result per fault, for all sources that it concerns; its fix corrects all of them. */
function checkEvaluations({ name, record, fix, cause }: Examined, evaluations: readonly Evaluation[]): Result[] {
  const missing = evaluations
    .filter(({ found: { result } }) => result !== 'pass' && result !== 'temperror')
    .map(({ address }) => address);
  const repaired = cause === null ? withAddresses(record, missing, fix) : `Mend ${cause} first.`;
  const because = cause === null ? '' : `, which follows from ${cause}`;
  const reasonOf = ({ found: { result, problem } }: Evaluation): string => problem ?? result;
  return [...new Set(evaluations.map(reasonOf))].flatMap((reason): Result[] => {
    const affected = evaluations.filter((one) => reasonOf(one) === reason);
    const { result, problem, lookups } = affected[0].found;
    const sources = affected.map(({ address }) => address);
    const voids = Math.max(...affected.map((one) => one.found.voids));
    const facts = { sources, result, lookups, voids };
    const fault = (message: string): Result[] => [
      error({ subject: name, message: `${message}${because}.`, fix: repaired, facts }),
    ];
    if (result === 'temperror') return [unanswered(name, problem ?? 'a record that it refers to')];
    if (result === 'permerror') return fault(`Receivers give up on its SPF record: ${problem}`);
    if (result !== 'pass') return fault(`Its SPF record says ${result} to mail from ${sources.join(', ')}`);
    if (voids <= MAX_VOID_LOOKUPS) return [];
    const message = `${voids} names in its SPF record lead to nothing; receivers give up beyond ${MAX_VOID_LOOKUPS} (RFC 7208 §4.6.4).`;
    return [warning({ subject: name, message, fix: `Take them out: ${fix}`, facts })];
  });
}

function checkEnd({ name, record, fix }: Examined): Result[] {
  const terms = spf.read(record);
  if ('problem' in terms)
    return [error({ subject: name, message: `Its SPF record is invalid: ${terms.problem}.`, fix })];
  const all = terms.find((term) => term.kind === 'mechanism' && term.name === 'all');
  if (all?.qualifier === '+')
    return [
      error({
        subject: name,
        message: `"${all.text}" lets everybody on the internet send with this domain.`,
        fix: `End the record with -all: ${fix}`,
      }),
    ];
  const isOpen = all === undefined ? !terms.some((term) => term.name === 'redirect') : all.qualifier === '?';
  if (!isOpen) return [];
  return [
    warning({ subject: name, message: 'Its SPF record ends without -all, so it says nothing of strangers.', fix }),
  ];
}

/** Of the ten lookups that a customer's record may cost, `include:spf.` takes one plus those of the included record. */
async function checkLookupCost({ dns, hostName, serviceDomain }: CheckContext): Promise<Result[]> {
  const { lookups } = await spf.checkHost(
    { address: '192.0.2.255', domain: `spf.${serviceDomain}`, helo: hostName },
    dns,
  );
  if (lookups === 0) return [];
  return [
    warning({
      subject: `spf.${serviceDomain}`,
      message: `It costs every customer ${lookups} more of the ten look-ups that SPF allows.`,
      fix: `Write addresses only (ip4: and ip6:) into the record of spf.${serviceDomain}.`,
      facts: { lookups },
    }),
  ];
}

/** The published record with the addresses added in front, or `fallback` where the record cannot be parsed. */
function withAddresses(record: string, addresses: readonly string[], fallback: string): string {
  if ('problem' in spf.read(record)) return fallback;
  const name = fallback.split(' ', 1)[0];
  return `${name} TXT "${record.replace(/^v=spf1/i, `v=spf1 ${addresses.map(spfTerm).join(' ')}`)}"`;
}
