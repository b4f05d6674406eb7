import { checkHost, isSpf, judgeSpf, readSpf, type SpfEvaluation } from '#libs/domains';
import type { SourceAddress } from '#libs/mta';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

/** RFC 7208 §4.6.4: what many receivers allow. */
const VOIDS = 2;

/** Evaluated as receivers do, for every source address. */
export const spfCheck: Check = {
  name: 'spf',
  title: 'SPF',
  asks: 'Do spf., bounces. and the service domain let every source address pass, within the limits of SPF?',
  isOfDelivery: true,
  look: async (patient) => {
    const { service } = patient;
    if (patient.isUnnamed) return [skipped({ subject: `spf.${service}`, message: 'SERVICE_DOMAIN is not set.' })];
    const { known, addresses: sources } = await patient.sources();
    const include = `spf.${service}`;
    const named = sources.map(({ address }) => termOf(address)).join(' ') || 'ip4:<address of this machine>';
    const base =
      known === 'smarthost'
        ? [
            skipped({
              subject: include,
              message: 'It must list the addresses of the smarthost, which are not known here.',
            }),
          ]
        : await lookAt(patient, include, { sources, wanted: `v=spf1 ${named} -all`, follows: null });
    const follows = base.some(({ status }) => status === 'error') ? include : null;
    const expected = { sources, wanted: `v=spf1 include:${include} -all`, follows };
    const others = await Promise.all([`bounces.${service}`, service].map((name) => lookAt(patient, name, expected)));
    return [...base, ...others.flat(), ...(await judgeCost(patient))];
  },
};

interface Expected {
  sources: readonly SourceAddress[];
  /** The record that would do. */
  wanted: string;
  /** What is wrong already: where a record only includes it, that one is to be mended. Null: nothing. */
  follows: string | null;
}

async function lookAt({ dns }: Patient, name: string, { sources, wanted, follows }: Expected): Promise<Remark[]> {
  const answer = await dns.texts(name);
  if (answer.kind === 'no_answer') return [unanswered(name, answer.reason)];
  const records = (answer.kind === 'found' ? answer.values : []).filter(isSpf);
  const fix = `${name}. TXT "${wanted}"`;
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
  const evaluated = await Promise.all(
    sources.map(async ({ address, heloName: helo }) => ({
      address,
      found: await checkHost({ address, domain: name, helo }, dns),
    })),
  );
  const isFollowing = follows !== null && judgeSpf(records, follows).verdict === 'verified';
  const judged = judge({ name, record, fix, follows: isFollowing ? follows : null }, evaluated);
  const remarks = [...judged, ...judgeEnd(name, record, fix)];
  if (remarks.length > 0) return remarks;
  const covers =
    sources.length === 0 ? 'It is well formed' : `It lets ${sources.map(({ address }) => address).join(', ')} pass`;
  return [ok({ subject: name, message: `${covers}.`, facts: { record } })];
}

interface Evaluated {
  address: string;
  found: SpfEvaluation;
}
interface Judged {
  name: string;
  record: string;
  fix: string;
  /** Of `Expected`, where this record includes it. */
  follows: string | null;
}

/** One remark for each thing that is wrong, whichever sources it concerns; the fix mends all of them. */
function judge({ name, record, fix, follows }: Judged, evaluated: readonly Evaluated[]): Remark[] {
  const missing = evaluated
    .filter(({ found: { result } }) => result !== 'pass' && result !== 'temperror')
    .map(({ address }) => address);
  const mended = follows === null ? repair(record, missing, fix) : `Mend ${follows} first.`;
  const cause = follows === null ? '' : `, which follows from ${follows}`;
  const reasonOf = ({ found: { result, problem } }: Evaluated): string => problem ?? result;
  return [...new Set(evaluated.map(reasonOf))].flatMap((reason): Remark[] => {
    const some = evaluated.filter((one) => reasonOf(one) === reason);
    const { result, problem, lookups } = some[0].found;
    const sources = some.map(({ address }) => address);
    const voids = Math.max(...some.map((one) => one.found.voids));
    const facts = { sources, result, lookups, voids };
    const broken = (message: string): Remark[] => [
      error({ subject: name, message: `${message}${cause}.`, fix: mended, facts }),
    ];
    if (result === 'temperror') return [unanswered(name, problem ?? 'a record it leads to')];
    if (result === 'permerror') return broken(`Receivers give up on its SPF record: ${problem}`);
    if (result !== 'pass') return broken(`Its SPF record says ${result} to mail from ${sources.join(', ')}`);
    if (voids <= VOIDS) return [];
    const message = `${voids} names in its SPF record lead to nothing; receivers give up beyond ${VOIDS} (RFC 7208 §4.6.4).`;
    return [warning({ subject: name, message, fix: `Take them out: ${fix}`, facts })];
  });
}

function judgeEnd(name: string, record: string, fix: string): Remark[] {
  const terms = readSpf(record);
  if ('problem' in terms)
    return [error({ subject: name, message: `Its SPF record is invalid: ${terms.problem}.`, fix })];
  const all = terms.find((term) => term.kind === 'mechanism' && term.name === 'all');
  if (all?.qualifier === '+')
    return [
      error({
        subject: name,
        message: `"${all.text}" lets everybody on earth send in this name.`,
        fix: `End the record with -all: ${fix}`,
      }),
    ];
  const isOpen = all === undefined ? !terms.some((term) => term.name === 'redirect') : all.qualifier === '?';
  if (!isOpen) return [];
  return [
    warning({ subject: name, message: 'Its SPF record ends without -all, so it says nothing of strangers.', fix }),
  ];
}

/** Of the ten look-ups that a customer's record may cost, `include:spf.` takes one and whatever stands there. */
async function judgeCost({ dns, hostName, service }: Patient): Promise<Remark[]> {
  const { lookups } = await checkHost({ address: '192.0.2.255', domain: `spf.${service}`, helo: hostName }, dns);
  if (lookups === 0) return [];
  return [
    warning({
      subject: `spf.${service}`,
      message: `It costs every customer ${lookups} more of the ten look-ups that SPF allows.`,
      fix: `Write addresses only (ip4: and ip6:) into the record of spf.${service}.`,
      facts: { lookups },
    }),
  ];
}

/** The record that is there, with the addresses in front; a record that has no place for them is proposed anew. */
function repair(record: string, addresses: readonly string[], fallback: string): string {
  if ('problem' in readSpf(record)) return fallback;
  const name = fallback.split(' ', 1)[0];
  return `${name} TXT "${record.replace(/^v=spf1/i, `v=spf1 ${addresses.map(termOf).join(' ')}`)}"`;
}

const termOf = (address: string): string => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`;
