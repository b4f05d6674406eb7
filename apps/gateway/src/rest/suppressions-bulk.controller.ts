import { Readable } from 'node:stream';
import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { AuditLog, type Principal } from '#libs/accounts';
import { LIMITS, Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { normaliseAddress } from '#libs/mime';
import {
  readSuppressionCsv,
  SuppressionEntries,
  writeSuppressionCsv,
  type SuppressionRemoval,
  type SuppressionTarget,
} from '#libs/suppressions';
import type { FastifyReply } from 'fastify';
import { CsvBody } from '../http/body-limits.js';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { invalidFields } from './invalid-fields.js';
import { requireOwnDomains, suppressionFrom } from './suppression-from.js';
import { removalBy, removedEntry } from './suppression-removal.js';
import {
  ReleaseAllDto,
  ReleasedAllDto,
  SuppressAllDto,
  SuppressedAllDto,
  SuppressionImportDto,
} from './suppressions-bulk.dto.js';

const TAG = 'Suppressions';
const CSV = 'text/csv';
const CSV_EXAMPLE = 'email,reason,expires_at\r\nuser@example.net,Asked us on the telephone,\r\n';

/** Many entries at once (D-48). */
@Controller('suppressions')
export class SuppressionsBulkController {
  constructor(
    private readonly entries: SuppressionEntries,
    private readonly domains: SendingDomains,
    private readonly audit: AuditLog,
  ) {}

  @Post('batch/add')
  @RequiresScope('suppressions.write')
  @Operation({
    tag: TAG,
    summary: `Suppress up to ${LIMITS.bulkEntries} addresses`,
    description: 'All of them or, when one is invalid, none. Entries that are there already stay as they are.',
    answer: SuppressedAllDto,
    refuses: [400],
  })
  async addAll(
    @Caller() { accountId }: Principal,
    @Body(BodyPipe) { emails, entries }: SuppressAllDto,
  ): Promise<SuppressedAllDto> {
    onlyOneOf({ emails, entries });
    const given = entries ?? (emails ?? []).map((email) => ({ email }));
    const domains = (entries ?? []).map(({ domain_id: id }, i) => ({ field: `entries[${i}].domain_id`, id }));
    await requireOwnDomains(this.domains, accountId, domains);
    const stored = await this.entries.add(accountId, given.map(suppressionFrom));
    return { data: stored.map(({ entry, created }) => ({ ...entry, created })) };
  }

  @Post('batch/remove')
  @RequiresScope('suppressions.write')
  @Operation({
    tag: TAG,
    summary: `Remove up to ${LIMITS.bulkEntries} addresses from the list`,
    description:
      'Each that can be removed is; one that is not on the list, or that is a complaint and `force` is not true, has ' +
      'an element with `object: "error"` in its place.',
    answer: ReleasedAllDto,
    refuses: [400],
  })
  async removeAll(@Caller() caller: Principal, @Body(BodyPipe) dto: ReleaseAllDto): Promise<ReleasedAllDto> {
    const { emails, ids, domain_id: domainId = null, force = false } = dto;
    onlyOneOf({ emails, ids });
    const byId = ids?.map((id): SuppressionTarget => ({ id }));
    const targets = byId ?? (emails ?? []).map((email) => ({ address: normaliseAddress(email), domainId }));
    const removals = await this.entries.remove(caller.accountId, targets, removalBy(caller, this.audit, force));
    return { data: removals.map(presentRemoval) };
  }

  @Post('import')
  @RequiresScope('suppressions.write')
  @CsvBody()
  @ApiConsumes(CSV)
  @ApiBody({ schema: { type: 'string' }, examples: { file: { value: CSV_EXAMPLE } } })
  @Operation({
    tag: TAG,
    summary: 'Import a CSV file',
    description:
      'UTF-8, separated by commas (RFC 4180). The first line names the columns: `email`, and at will `reason`, `origin` ' +
      '(`manual` if empty), `expires_at` and `domain_id`; others are passed over, so an exported file can be imported. ' +
      `Up to ${LIMITS.importEntries} entries and 5 MiB. All or nothing: every problem is named with its line ` +
      '(`lines[17].email`, counted from 1), and with any problem nothing is stored.',
    answer: SuppressionImportDto,
    refuses: [400, 415, 422],
  })
  async import(@Caller() { accountId }: Principal, @Body() file: unknown): Promise<SuppressionImportDto> {
    const { entries, problems } = await readSuppressionCsv(Buffer.isBuffer(file) ? file : Buffer.alloc(0));
    if (problems.length > 0)
      throw invalidFields(problems.map(({ path, code, message }) => ({ field: path, code, message })));
    const domains = entries.map(({ line, domainId: id }) => ({ field: `lines[${line}].domain_id`, id }));
    await requireOwnDomains(this.domains, accountId, domains);
    const { created } = await this.entries.import(accountId, entries);
    return { object: 'suppression_import', total: entries.length, created, existing: entries.length - created };
  }

  @Get('export')
  @RequiresScope('suppressions.read')
  @Operation({
    tag: TAG,
    summary: 'Export the list as a CSV file',
    description:
      'Everything that counts now, oldest first. A cell that a spreadsheet would take for a formula begins with an ' +
      'apostrophe, which the import takes away again.',
    content: CSV,
  })
  async export(@Caller() { accountId }: Principal, @Res() reply: FastifyReply): Promise<void> {
    await reply
      .type(`${CSV}; charset=utf-8; header=present`)
      .header('content-disposition', 'attachment; filename="suppressions.csv"')
      .send(Readable.from(writeSuppressionCsv(this.entries.all(accountId))));
  }
}

/** @throws Refusal `validation_error` when both are given, because nobody can say which one was meant */
function onlyOneOf(given: Record<string, unknown>): void {
  const [first, second] = Object.keys(given).filter((name) => given[name] !== undefined);
  if (second === undefined) return;
  throw invalidFields([{ field: second, code: 'exclusive', message: `must not be given together with ${first}` }]);
}

function presentRemoval(removal: SuppressionRemoval, index: number): ReleasedAllDto['data'][number] {
  try {
    const { id, email } = removedEntry(removal);
    return { object: 'suppression', id, email, deleted: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { object: 'error', index, error: error.row.error, message: error.message };
  }
}
