import { Readable } from 'node:stream';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { AuditLog } from '#libs/accounts';
import { assertDomainsVisible, LIMITS, Refusal } from '#libs/contracts';
import { normaliseAddress } from '#libs/mime';
import {
  type ReadCsv,
  SuppressionEntries,
  type SuppressionRemoval,
  type SuppressionTarget,
  suppressionCsv,
} from '#libs/suppressions';
import {
  AddedSuppressionType,
  AddSuppressionsInput,
  RemovedSuppressionType,
  RemoveSuppressionsInput,
  toAdded,
  toRemoved,
} from '../graphql/suppressions/suppression.type.js';
import { CsvBody } from '../http/body/body-limits.js';
import { exampleId, TEXT_PATTERN } from '../openapi/properties.js';
import { AccountDomains } from '../rest/domains/account-domains.js';
import { removalOptions, removedOrRefused, toSuppression } from '../rest/suppressions/suppression-requests.js';
import {
  ReleaseAllDto,
  ReleasedAllDto,
  SuppressAllDto,
  SuppressedAllDto,
  SuppressionImportDto,
  type RefusedLineDto,
} from '../rest/suppressions/suppressions-bulk.dto.js';
import { requireOnlyOne } from '../rest/validation/invalid-fields.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Suppressions';
const CSV = 'text/csv';
const CSV_EXAMPLE = 'email,reason,expires_at\r\nuser@example.net,Asked us on the telephone,\r\n';

const NEW_ENTRIES = {
  addresses: { summary: 'Addresses', value: { emails: ['user@example.net', 'ada@example.net'] } },
  entries: {
    summary: 'Entries with details',
    value: {
      entries: [
        { email: 'user@example.net', reason: 'Asked us on the telephone' },
        { email: 'ada@example.net', expires_at: '2030-01-31T09:30:00Z', domain_id: exampleId('dom') },
      ],
    },
  },
};
const REMOVED_ENTRIES = {
  addresses: { summary: 'By address', value: { emails: ['user@example.net', 'ada@example.net'] } },
  domain: { summary: 'From the list of a domain', value: { emails: ['ada@example.net'], domain_id: exampleId('dom') } },
  ids: { summary: 'By id, complaints too', value: { ids: [exampleId('sup')], force: true } },
};
const addAll = operation({
  tag,
  rest: 'POST /batch/add',
  graphql: {
    field: 'Mutation.addSuppressions',
    about:
      'Suppresses up to 100 addresses: one result per address, in the same order. If one is invalid, none is stored. ' +
      'Existing entries are not changed.',
    input: { type: AddSuppressionsInput, about: 'The addresses' },
    type: [AddedSuppressionType],
    value: toAdded,
  },
  scope: 'suppressions.write',
  summary: `Suppress up to ${LIMITS.bulkEntries} addresses`,
  description:
    'If one address is invalid, none is stored. Existing entries that last at least as long are not changed; shorter ones are replaced.',
  body: SuppressAllDto,
  examples: NEW_ENTRIES,
  response: SuppressedAllDto,
  errors: [400],
  uses: [SuppressionEntries, AccountDomains],
  run: async ({ caller, body: { emails, entries } }, list, accountDomains): Promise<SuppressedAllDto> => {
    requireOnlyOne({ emails, entries });
    const given = entries ?? (emails ?? []).map((email) => ({ email }));
    const domains = (entries ?? []).map(({ domain_id: id }, i) => ({ field: `entries[${i}].domain_id`, id }));
    await accountDomains.requireOwn(caller, domains);
    const stored = await list.add(caller, given.map(toSuppression));
    return { data: stored.map(({ entry, created }) => ({ ...entry, created })) };
  },
});

const removeAll = operation({
  tag,
  rest: 'POST /batch/remove',
  graphql: {
    field: 'Mutation.removeSuppressions',
    about:
      'Removes up to 100 addresses from the list: every entry that can be removed. One result per address, in the same order.',
    input: { type: RemoveSuppressionsInput, about: 'The addresses' },
    type: [RemovedSuppressionType],
    value: toRemoved,
  },
  scope: 'suppressions.write',
  summary: `Remove up to ${LIMITS.bulkEntries} addresses from the list`,
  description:
    'Removes every entry that can be removed. An address that is not on the list, or a complaint without `force`, has ' +
    'an element with `object: "error"`.',
  body: ReleaseAllDto,
  examples: REMOVED_ENTRIES,
  response: ReleasedAllDto,
  errors: [400],
  uses: [SuppressionEntries, AuditLog],
  run: async ({ caller, body }, list, audit): Promise<ReleasedAllDto> => {
    const { emails, ids, domain_id: domainId = null, force = false } = body;
    requireOnlyOne({ emails, ids });
    if (domainId !== null) assertDomainsVisible(caller, [{ field: 'domain_id', id: domainId }]);
    const byId = ids?.map((id): SuppressionTarget => ({ id }));
    const targets = byId ?? (emails ?? []).map((email) => ({ address: normaliseAddress(email), domainId }));
    const removals = await list.remove(caller, targets, removalOptions(caller, audit, force));
    return { data: removals.map(toRemovalResponse) };
  },
});

const importFile = operation({
  tag,
  rest: 'POST /import',
  graphql: null,
  scope: 'suppressions.write',
  wholeAccount: true,
  summary: 'Import a CSV file',
  description:
    'CSV (RFC 4180), separated by commas, semicolons or tabs, in UTF-8 or in UTF-16 with a byte order mark. The first line ' +
    'names the columns: `email`, and optionally `reason`, `origin` (`manual` if empty), `expires_at` and `domain_id`. Other ' +
    `columns are ignored, so an exported file can be imported. At most ${LIMITS.importEntries} lines and 5 MiB. Valid lines ` +
    'are imported, and the response lists the problems of the others. If no line is valid, or the file is not CSV, nothing ' +
    'is stored, and `details` lists the problems with their lines (`lines[17].email`, counted from 1).',
  body: Buffer,
  decorators: [
    CsvBody(),
    ApiConsumes(CSV),
    ApiBody({
      schema: { type: 'string', minLength: 1, pattern: TEXT_PATTERN },
      examples: { file: { value: CSV_EXAMPLE } },
    }),
  ],
  response: SuppressionImportDto,
  errors: [400, 415, 422],
  uses: [SuppressionEntries, AccountDomains],
  run: async ({ caller, body }, list, accountDomains): Promise<SuppressionImportDto> => {
    const read = await suppressionCsv.read(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    const { entries, problems, refused } = withOwnDomains(read, await accountDomains.ids(caller));
    if (entries.length === 0)
      throw Refusal.ofFields(problems.map(({ path, code, message }) => ({ field: path, code, message })));
    const { created } = await list.import(caller, entries);
    return {
      object: 'suppression_import',
      total: entries.length + refused,
      created,
      existing: entries.length - created,
      ...(refused > 0 && { refused, errors: problems.map(toRefusedLine) }),
    };
  },
});

const exportFile = operation({
  tag,
  rest: 'GET /export',
  graphql: null,
  scope: 'suppressions.read',
  wholeAccount: true,
  summary: 'Export the list as a CSV file',
  description:
    'All current entries, oldest first. Text that a spreadsheet would interpret as a formula, whatever delimiter it is ' +
    'opened with, is prefixed with an apostrophe, which the import removes.',
  content: CSV,
  uses: [SuppressionEntries],
  run: ({ caller }, list) => Promise.resolve(Readable.from(suppressionCsv.write(list.all(caller)))),
  respond: (file, reply) => {
    void reply
      .type(`${CSV}; charset=utf-8; header=present`)
      .header('content-disposition', 'attachment; filename="suppressions.csv"');
    return file;
  },
});

/** Bulk operations on the suppression list. */
export const SUPPRESSIONS_BULK: OperationGroup = {
  name: 'SuppressionsBulk',
  path: 'suppressions',
  operations: { addAll, removeAll, import: importFile, export: exportFile },
};

function toRemovalResponse(removal: SuppressionRemoval, index: number): ReleasedAllDto['data'][number] {
  try {
    const { id, email } = removedOrRefused(removal);
    return { object: 'suppression', id, email, deleted: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { object: 'error', index, error: error.row.error, message: error.message };
  }
}

/** Refuses the lines that name a domain of another account like those that name one that does not exist. */
function withOwnDomains({ entries, problems, refused = 0 }: ReadCsv, own: ReadonlySet<string>): Required<ReadCsv> {
  const isOwn = ({ domainId }: { domainId: string | null }) => domainId === null || own.has(domainId);
  const foreign = entries
    .filter((entry) => !isOwn(entry))
    .map(({ line }) => ({
      path: `lines[${line}].domain_id`,
      code: 'unknown_domain',
      message: 'must be a domain of this account',
    }));
  return {
    entries: entries.filter(isOwn),
    problems: [...problems, ...foreign].slice(0, MAX_PROBLEMS),
    refused: refused + foreign.length,
  };
}

const MAX_PROBLEMS = 1_000;

function toRefusedLine({ path, code, message }: ReadCsv['problems'][number]): RefusedLineDto {
  const [, line, field] = /^lines\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  return { line: Number(line), field, code, message };
}
