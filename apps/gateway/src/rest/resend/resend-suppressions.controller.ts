import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { AuditLog, type Principal } from '#libs/accounts';
import { normaliseAddress } from '#libs/mime';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { found } from '../found.js';
import { invalidFields } from '../invalid-fields.js';
import { QueryPipe } from '../query-pipe.js';
import { suppressionFrom } from '../suppression-from.js';
import { removalBy, removedEntry } from '../suppression-removal.js';
import { fromResendId, toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';
import { merged, originsBehind, resendSuppression, type ResendSuppression } from './resend-suppression.js';
import {
  ResendReleaseAllDto,
  ResendReleaseQuery,
  ResendSuppressAllDto,
  ResendSuppressDto,
  ResendSuppressionsQuery,
} from './resend-suppressions.dto.js';

interface Named {
  object: 'suppression';
  id: string;
}

const named = (id: string): Named => ({ object: 'suppression', id: toResendId(id) });

/** Addresses stand for entries of the whole account; those of single domains are listed, and named by their id. */
@Controller(`${RESEND}/suppressions`)
export class ResendSuppressionsController {
  constructor(
    private readonly entries: SuppressionEntries,
    private readonly audit: AuditLog,
  ) {}

  @Post()
  @ResendRoute('suppressions.write')
  async add(@Caller() caller: Principal, @Body(BodyPipe) { email }: ResendSuppressDto): Promise<Named> {
    const [added] = await this.addAll(caller, [email]);
    return added;
  }

  @Post('batch/add')
  @ResendRoute('suppressions.write')
  async addBatch(
    @Caller() caller: Principal,
    @Body(BodyPipe) { emails }: ResendSuppressAllDto,
  ): Promise<{ data: Named[] }> {
    return { data: await this.addAll(caller, emails) };
  }

  @Get()
  @ResendRoute('suppressions.read')
  async list(
    @Caller() { accountId }: Principal,
    @Query(QueryPipe) query: ResendSuppressionsQuery,
  ): Promise<ResendList<ResendSuppression>> {
    const request = resendPageRequest(query, 'sup');
    const origins = query.origin === undefined ? [undefined] : originsBehind(query.origin);
    const pages = await Promise.all(origins.map((origin) => this.entries.page(accountId, { origin }, request)));
    return resendList(merged(pages, request), resendSuppression);
  }

  @Get(':idOrEmail')
  @ResendRoute('suppressions.read')
  async find(
    @Caller() { accountId }: Principal,
    @Param('idOrEmail') written: string,
  ): Promise<ResendSuppression & { object: 'suppression' }> {
    const entry = found(await this.entries.find(accountId, targetOf(written)));
    return { object: 'suppression', ...resendSuppression(entry) };
  }

  /** A complaint stays (409) without `force`, a parameter that these clients do not have. */
  @Delete(':idOrEmail')
  @ResendRoute('suppressions.write')
  async remove(
    @Caller() caller: Principal,
    @Param('idOrEmail') written: string,
    @Query(QueryPipe) { force }: ResendReleaseQuery,
  ): Promise<Named & { deleted: true }> {
    const options = removalBy(caller, this.audit, force === 'true');
    const [removal] = await this.entries.remove(caller.accountId, [targetOf(written)], options);
    return { ...named(removedEntry(removal).id), deleted: true };
  }

  /** One result for each entry that is known by an id: an address that is not on the list has none. */
  @Post('batch/remove')
  @ResendRoute('suppressions.write')
  async removeBatch(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: ResendReleaseAllDto,
  ): Promise<{ data: (Named & { deleted: boolean })[] }> {
    const targets = targetsOf(dto);
    const removals = await this.entries.remove(caller.accountId, targets, removalBy(caller, this.audit, false));
    return {
      data: removals.flatMap((removal, i) => {
        const id = removal.outcome === 'unknown' ? idOf(targets[i]) : removal.entry.id;
        return id === null ? [] : [{ ...named(id), deleted: removal.outcome === 'removed' }];
      }),
    };
  }

  private async addAll({ accountId }: Principal, emails: string[]): Promise<Named[]> {
    const stored = await this.entries.add(
      accountId,
      emails.map((email) => suppressionFrom({ email })),
    );
    return stored.map(({ entry }) => named(entry.id));
  }
}

/** @throws Refusal `not_found` for what is neither an id nor an address */
const targetOf = (written: string): SuppressionTarget => found(suppressionTarget(fromResendId('sup', written)));

const idOf = (target: SuppressionTarget): string | null => ('id' in target ? target.id : null);

/** @throws Refusal `validation_error` when both are given, because nobody can say which one was meant */
function targetsOf({ emails, ids }: ResendReleaseAllDto): SuppressionTarget[] {
  if (ids === undefined) return (emails ?? []).map((email) => ({ address: normaliseAddress(email), domainId: null }));
  if (emails === undefined) return ids.map((id) => ({ id: fromResendId('sup', id) }));
  throw invalidFields([{ field: 'ids', code: 'exclusive', message: 'must not be given together with emails' }]);
}
