import {
  DkimZone,
  DomainExamination,
  zoneLine,
  type ExaminedDomain,
  type ExaminedRecord,
  type Judgement,
} from '#libs/domains';
import { databaseFacts, type Database } from '#libs/persistence';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

const EXAMINE_MS = 10_000;
const NAMED = 50;
/** Names of the zone `dkim.` that are looked up. */
const SAMPLE = 5;

/** The domains that mail is sent from: what the verifier warns of, and those asked for as DNS has them now. */
export const domainsCheck: Check = {
  name: 'domains',
  title: 'Sending domains',
  asks: "Have active domains lost records, and what does DNS say of the operator's own domain, or of --domain?",
  isOfDelivery: true,
  look: async (patient) => {
    const database = await patient.database();
    if (database === null) return [skipped({ subject: 'domains', message: 'There is no database yet.' })];
    if ((await databaseFacts(database)).pendingMigrations.length > 0)
      return [skipped({ subject: 'domains', message: 'The database is of an older version.', fix: 'npm start' })];
    const examination = new DomainExamination(database, patient.config);
    const looks = [lookAtLosing(examination), lookAtNamed(patient, examination), lookAtZone(patient, database)];
    return (await Promise.all(looks)).flat();
  },
};

async function lookAtLosing(examination: DomainExamination): Promise<Remark[]> {
  const losing = await examination.losing(NAMED);
  if (losing.length === 0)
    return [ok({ subject: 'active domains', message: 'None of them has lost a required record.' })];
  return losing.map(({ name, accountId, since, lost }) =>
    warning({
      subject: name,
      message: `It is active but has lost ${lost.join(', ') || 'a record'} (since ${since.toISOString()}); it stops sending a day after that.`,
      fix: `Tell its owner (${accountId}). What should stand there: npm run -s cli -- doctor --only domains --domain ${name}`,
      facts: { account: accountId, lost },
    }),
  );
}

/** The operator's own domain where it is one of those here, and the one that was asked for. */
async function lookAtNamed(patient: Patient, examination: DomainExamination): Promise<Remark[]> {
  const names = [...(patient.isUnnamed ? [] : [patient.service]), ...(patient.domain === null ? [] : [patient.domain])];
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const entries = await examination.examine(name, EXAMINE_MS);
      if (entries.length > 0) return entries.flatMap(remarksOn);
      if (name === patient.domain)
        return [
          error({
            subject: name,
            message: 'No account has this domain.',
            fix: `POST /domains {"name":"${name}"}, or: npm run -s cli -- domains vouch <account> ${name}`,
          }),
        ];
      return [unsigned(name)];
    }),
  );
  return found.flat();
}

const unsigned = (name: string): Remark =>
  warning({
    subject: name,
    message: `The service's own domain is no sending domain here, so notices and reports from postmaster@${name} are not signed.`,
    fix: `npm run -s cli -- domains vouch <account> ${name}, then publish the records that domains list <account> --json shows`,
  });

function remarksOn({ name, accountId, status, records }: ExaminedDomain): Remark[] {
  const remarks = records.flatMap((record) => remarkOn(record));
  if (remarks.length > 0)
    return remarks.map((remark) => ({ ...remark, facts: { ...remark.facts, account: accountId, status } }));
  return [ok({ subject: name, message: `All its records stand (${status} in ${accountId}).` })];
}

function remarkOn({ name, type, value, record, required, outcome }: ExaminedRecord): Remark[] {
  // The aliases of other domains lead to these names of the service's own, which are no aliases.
  if (name === value) return [];
  switch (outcome.verdict) {
    case 'unanswered':
      return [unanswered(name, outcome.error)];
    case 'verified':
      return outcome.error === null
        ? []
        : [
            warning({
              subject: name,
              message: `${record}: ${outcome.error}`,
              fix: fixOf({ name, type, value }, outcome),
            }),
          ];
    case 'missing':
    case 'wrong': {
      const told = {
        subject: name,
        message: `${record}: ${outcome.error}`,
        fix: fixOf({ name, type, value }, outcome),
        facts: { observed: outcome.observed },
      };
      if (required) return [error(told)];
      // What nobody has to publish is worth a word only where something wrong stands.
      return outcome.verdict === 'wrong' ? [warning(told)] : [];
    }
  }
}

/** What should stand there; of a record that costs too many look-ups its owner alone knows what to take out. */
function fixOf({ name, type, value }: Pick<ExaminedRecord, 'name' | 'type' | 'value'>, judgement: Judgement): string {
  const record = `${name}. ${line(type, judgement.value ?? value)}`;
  if (judgement.costly === undefined) return record;
  return `Take out what no longer sends for this domain (of ${judgement.costly.join(', ')}), and keep the rest:\n${record}`;
}

const line = (type: 'TXT' | 'CNAME', value: string): string => (type === 'TXT' ? `TXT "${value}"` : `CNAME ${value}.`);

/** A zone that is delegated but not written keeps every customer with CNAME records from becoming active. */
async function lookAtZone(patient: Patient, database: Database): Promise<Remark[]> {
  const subject = `dkim.${patient.service}`;
  const records = await new DkimZone(database, patient.service).records();
  if (patient.isUnnamed || records.length === 0) return [];
  const newest = records.slice(-SAMPLE);
  const answers = await Promise.all(newest.map(({ name }) => patient.dns.texts(name)));
  const refused = answers.find((answer) => answer.kind === 'no_answer');
  if (refused?.kind === 'no_answer') return [unanswered(subject, refused.reason)];
  const stale = newest.filter(({ value }, i) => {
    const answer = answers[i];
    return answer.kind !== 'found' || !answer.values.includes(value);
  });
  if (stale.length === 0) return [ok({ subject, message: 'The newest keys stand there.' })];
  if (answers.every(({ kind }) => kind === 'none'))
    return [
      skipped({
        subject,
        message: 'It has no keys, so customers must use TXT records, not CNAME, for theirs.',
        fix: 'npm run -s cli -- domains dkim-zone prints what should stand there (docs/operator-dns.md).',
      }),
    ];
  return [
    error({
      subject,
      message: `It lacks keys, or has old ones: ${stale.map(({ name }) => name).join(', ')}. Rotations stand still, and new domains with CNAME records do not become active.`,
      fix: `Publish the zone anew: npm run -s cli -- domains dkim-zone\n${stale.map(zoneLine).join('\n')}`,
    }),
  ];
}
