import { checkHost, isSpf, readSpf, type SpfEvaluation } from '#libs/domains';
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
    const { known, addresses } = await patient.sources();
    const sources = addresses.map(({ address }) => address);
    const include = { sources, wanted: `v=spf1 include:spf.${service} -all` };
    const named = sources.map(termOf).join(' ') || 'ip4:<address of this machine>';
    const base =
      known === 'smarthost'
        ? [
            skipped({
              subject: `spf.${service}`,
              message: 'It must list the addresses of the smarthost, which are not known here.',
            }),
          ]
        : await lookAt(patient, `spf.${service}`, { sources, wanted: `v=spf1 ${named} -all` });
    const others = await Promise.all([`bounces.${service}`, service].map((name) => lookAt(patient, name, include)));
    return [...base, ...others.flat(), ...(await judgeCost(patient))];
  },
};

interface Expected {
  sources: readonly string[];
  /** The record that would do. */
  wanted: string;
}

async function lookAt({ dns }: Patient, name: string, { sources, wanted }: Expected): Promise<Remark[]> {
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
  const evaluated = await Promise.all(sources.map((source) => checkHost(source, name, dns)));
  const judged = sources.flatMap((source, i) =>
    judge({ name, source, fix: repair(records[0], source, fix) }, evaluated[i]),
  );
  const remarks = [...judged, ...judgeEnd(name, records[0], fix)];
  if (remarks.length > 0) return remarks;
  const covers = sources.length === 0 ? 'It is well formed' : `It lets ${sources.join(', ')} pass`;
  return [ok({ subject: name, message: `${covers}.`, facts: { record: records[0] } })];
}

function judge({ name, source, fix }: { name: string; source: string; fix: string }, found: SpfEvaluation): Remark[] {
  const { result, problem, lookups, voids } = found;
  const facts = { source, result, lookups, voids };
  if (result === 'temperror') return [unanswered(name, problem ?? 'a record it leads to')];
  if (result === 'permerror')
    return [error({ subject: name, message: `Receivers give up on its SPF record: ${problem}.`, fix, facts })];
  if (result !== 'pass')
    return [error({ subject: name, message: `Its SPF record says ${result} to mail from ${source}.`, fix, facts })];
  if (voids > VOIDS)
    return [
      warning({
        subject: name,
        message: `${voids} names in its SPF record lead to nothing; receivers give up beyond ${VOIDS} (RFC 7208 §4.6.4).`,
        fix: `Take them out: ${fix}`,
        facts,
      }),
    ];
  return [];
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
async function judgeCost({ dns, service }: Patient): Promise<Remark[]> {
  const { lookups } = await checkHost('192.0.2.255', `spf.${service}`, dns);
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

/** The record that is there, with the address in front; a record that has no place for it is proposed anew. */
function repair(record: string, source: string, fallback: string): string {
  if ('problem' in readSpf(record)) return fallback;
  const name = fallback.split(' ', 1)[0];
  return `${name} TXT "${record.replace(/^v=spf1/i, `v=spf1 ${termOf(source)}`)}"`;
}

const termOf = (address: string): string => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`;
