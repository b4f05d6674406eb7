import { DkimZone, DomainInspection, type InspectedDomain, type InspectedRecord, type Judgement } from '#libs/domains';
import { databaseInfo, type Database } from '#libs/persistence';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

const INSPECT_MS = 10_000;
const MAX_DOMAINS_WITH_WARNING = 50;
const MAX_VOUCHED_NAMES = 10;
/** Names below `dkim.` that are looked up, the newest ones. */
const SAMPLED_KEYS = 5;

/** Domains with warnings of the verifier; the service domain and that of `--domain` with all their records. */
export const sendingDomainsCheck: Check = {
  name: 'domains',
  title: 'Sending domains',
  isAboutDelivery: true,
  takesDomain: true,
  run: async (context) => {
    const database = await context.database();
    if (database === null) return [skipped({ subject: 'domains', message: 'There is no database yet.' })];
    const { pendingMigrations, schemaProblem } = await databaseInfo(database);
    if (schemaProblem !== null) return [skipped({ subject: 'domains', ...schemaProblem })];
    if (pendingMigrations.length > 0)
      return [skipped({ subject: 'domains', message: 'The database is of an older version.', fix: 'npm start' })];
    const inspection = new DomainInspection(database, context.config);
    const checks = [
      checkDomainsWithWarning(inspection),
      listVouchedDomains(inspection),
      checkNamedDomains(context, inspection),
      checkKeyZone(context, database),
    ];
    return (await Promise.all(checks)).flat();
  },
};

async function checkDomainsWithWarning(inspection: DomainInspection): Promise<Result[]> {
  const domains = await inspection.withWarning(MAX_DOMAINS_WITH_WARNING);
  if (domains.length === 0)
    return [ok({ subject: 'active domains', message: 'Of those that are checked, none has lost a required record.' })];
  return domains.map(({ name, accountId, since, lost }) =>
    warning({
      subject: name,
      message: `It is active but has lost ${lost.join(', ') || 'a record'} (since ${since.toISOString()}); it stops sending a day after that.`,
      fix: `Tell its owner (${accountId}). The records that it needs: npm run -s cli -- doctor --only domains --domain ${name}`,
      facts: { account: accountId, lost },
    }),
  );
}

/** Without a warning, since somebody has decided so; but nobody may take them for verified. */
async function listVouchedDomains(inspection: DomainInspection): Promise<Result[]> {
  const names = await inspection.vouched(MAX_VOUCHED_NAMES + 1);
  if (names.length === 0) return [];
  const listed = names.length > MAX_VOUCHED_NAMES ? [...names.slice(0, MAX_VOUCHED_NAMES), 'and others'] : names;
  const message = `Not checked, because the operator vouches for them: ${listed.join(', ')}.`;
  const fix = `npm run -s cli -- doctor --only domains --domain ${names[0]}`;
  return [skipped({ subject: 'vouched domains', message, fix })];
}

/** The service domain, if it is a sending domain, and the domain of `--domain`. */
async function checkNamedDomains(context: CheckContext, inspection: DomainInspection): Promise<Result[]> {
  const { serviceDomain, requestedDomain } = context;
  const names = [...(context.skipsServiceDns ? [] : [serviceDomain]), requestedDomain].filter((name) => name !== null);
  const results = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const domains = await inspection.inspect(name, INSPECT_MS);
      if (domains.length > 0) return domains.flatMap(checkDomain);
      return [name === requestedDomain ? unknownDomain(name) : unsignedServiceDomain(name)];
    }),
  );
  return results.flat();
}

const unknownDomain = (name: string): Result =>
  error({
    subject: name,
    message: 'No account has this domain.',
    fix: `POST /domains {"name":"${name}"}, or: npm run -s cli -- domains vouch <account> ${name}`,
  });

const unsignedServiceDomain = (name: string): Result =>
  warning({
    subject: name,
    message: `The service domain is not a sending domain, so notices and reports from postmaster@${name} are not signed.`,
    fix: `npm run -s cli -- domains vouch <account> ${name}, then publish the records that domains list <account> --json shows`,
  });

function checkDomain({ name, accountId, status, vouched, records }: InspectedDomain): Result[] {
  const results = records.flatMap((record) => checkRecord(record));
  if (results.length > 0)
    return results.map((result) => ({ ...result, facts: { ...result.facts, account: accountId, status, vouched } }));
  const state = vouched ? `${status} in ${accountId}, the operator vouches for it` : `${status} in ${accountId}`;
  return [ok({ subject: name, message: `All its records are published (${state}).` })];
}

function checkRecord({ name, type, value, record, required, outcome }: InspectedRecord): Result[] {
  // CNAME records of other domains point to these names of the service, which are no aliases themselves.
  if (name === value) return [];
  if (outcome.verdict === 'unanswered') return [unanswered(name, outcome.error)];
  const details = {
    subject: name,
    message: `${record}: ${outcome.error}`,
    fix: fixOf({ name, type, value }, outcome),
  };
  const facts = { observed: outcome.observed };
  switch (outcome.verdict) {
    case 'verified':
      return outcome.error === null ? [] : [warning(details)];
    case 'missing':
      // An optional record that is missing is not worth a warning.
      return required ? [error({ ...details, facts })] : [];
    case 'wrong':
      return [required ? error({ ...details, facts }) : warning({ ...details, facts })];
  }
}

/** The record to publish. Where it costs too many lookups, only the owner of the domain knows which terms to remove. */
function fixOf({ name, type, value }: Pick<InspectedRecord, 'name' | 'type' | 'value'>, judgement: Judgement): string {
  const wanted = judgement.value ?? value;
  const record = `${name}. ${type === 'TXT' ? `TXT "${wanted}"` : `CNAME ${wanted}.`}`;
  if (judgement.costly === undefined) return record;
  return `Take out what no longer sends for this domain (of ${judgement.costly.join(', ')}), and keep the rest:\n${record}`;
}

/** While the zone `dkim.` is delegated but empty, no domain with CNAME records becomes active. */
async function checkKeyZone(context: CheckContext, database: Database): Promise<Result[]> {
  const subject = `dkim.${context.serviceDomain}`;
  const records = await new DkimZone(database, context.serviceDomain).records();
  if (context.skipsServiceDns || records.length === 0) return [];
  const newest = records.slice(-SAMPLED_KEYS);
  const answers = await Promise.all(newest.map(({ name }) => context.dns.texts(name)));
  const failed = answers.find((answer) => answer.kind === 'no_answer');
  if (failed?.kind === 'no_answer') return [unanswered(subject, failed.reason)];
  const stale = newest.filter(({ value }, i) => {
    const answer = answers[i];
    return answer.kind !== 'found' || !answer.values.includes(value);
  });
  if (stale.length === 0) return [ok({ subject, message: 'The newest keys are published.' })];
  if (answers.every(({ kind }) => kind === 'none'))
    return [
      skipped({
        subject,
        message: 'It has no keys, so customers must use TXT records, not CNAME, for theirs.',
        fix: 'npm run -s cli -- domains dkim-zone prints its records (docs/operator-dns.md).',
      }),
    ];
  return [
    error({
      subject,
      message: `It lacks keys, or has old ones: ${stale.map(({ name }) => name).join(', ')}. Key rotations do not proceed, and new domains with CNAME records do not become active.`,
      fix: `Publish the zone again: npm run -s cli -- domains dkim-zone\n${stale.map((record) => DkimZone.line(record)).join('\n')}`,
    }),
  ];
}
