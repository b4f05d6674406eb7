import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { AuditLog, type Principal } from '#libs/accounts';
import { normaliseAddress } from '#libs/mime';
import { SuppressionEntries, suppressionTarget, type SuppressionTarget } from '#libs/suppressions';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../../rest/validation/body-pipe.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { requireOnlyOne } from '../../rest/validation/invalid-fields.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { removalOptions, removedOrRefused, toSuppression } from '../../rest/suppressions/suppression-requests.js';
import { fromResendId, type ResendReference, toResendReference } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';
import { mergePages, toOrigins, toResendSuppression, type ResendSuppression } from './resend-suppression.js';
import {
  ResendReleaseAllDto,
  ResendReleaseQuery,
  ResendSuppressAllDto,
  ResendSuppressDto,
  ResendSuppressionsQuery,
} from './resend-suppressions.dto.js';

type Reference = ResendReference<'suppression'>;

const referenceTo = (id: string): Reference => toResendReference('suppression', id);

/** An address refers to the entry of the whole account. Entries of single domains are listed too, but only their id refers to them. */
@Controller(`${RESEND}/suppressions`)
export class ResendSuppressionsController {
  constructor(
    private readonly entries: SuppressionEntries,
    private readonly audit: AuditLog,
  ) {}

  @Post()
  @ResendRoute('suppressions.write')
  async add(@Caller() caller: Principal, @Body(BodyPipe) { email }: ResendSuppressDto): Promise<Reference> {
    const [added] = await this.addAll(caller, [email]);
    return added;
  }

  @Post('batch/add')
  @ResendRoute('suppressions.write')
  async addBatch(
    @Caller() caller: Principal,
    @Body(BodyPipe) { emails }: ResendSuppressAllDto,
  ): Promise<{ data: Reference[] }> {
    return { data: await this.addAll(caller, emails) };
  }

  @Get()
  @ResendRoute('suppressions.read')
  async list(
    @Caller() caller: Principal,
    @Query(QueryPipe) query: ResendSuppressionsQuery,
  ): Promise<ResendList<ResendSuppression>> {
    const request = resendPageRequest(query, 'sup');
    const origins = query.origin === undefined ? [undefined] : toOrigins(query.origin);
    const pages = await Promise.all(origins.map((origin) => this.entries.page(caller, { origin }, request)));
    return toResendList(mergePages(pages, request), toResendSuppression);
  }

  @Get(':idOrEmail')
  @ResendRoute('suppressions.read')
  async find(
    @Caller() caller: Principal,
    @Param('idOrEmail') written: string,
  ): Promise<ResendSuppression & { object: 'suppression' }> {
    const entry = orNotFound(await this.entries.find(caller, targetOf(written)));
    return { object: 'suppression', ...toResendSuppression(entry) };
  }

  /** A complaint is kept (409) without `force`, a parameter that clients of Resend do not have. */
  @Delete(':idOrEmail')
  @ResendRoute('suppressions.write')
  async remove(
    @Caller() caller: Principal,
    @Param('idOrEmail') written: string,
    @Query(QueryPipe) { force }: ResendReleaseQuery,
  ): Promise<Reference & { deleted: true }> {
    const options = removalOptions(caller, this.audit, force === 'true');
    const [removal] = await this.entries.remove(caller, [targetOf(written)], options);
    return { ...referenceTo(removedOrRefused(removal).id), deleted: true };
  }

  /** One result per entry with an id: an address that is not on the list has no result. */
  @Post('batch/remove')
  @ResendRoute('suppressions.write')
  async removeBatch(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: ResendReleaseAllDto,
  ): Promise<{ data: (Reference & { deleted: boolean })[] }> {
    const targets = targetsOf(dto);
    const removals = await this.entries.remove(caller, targets, removalOptions(caller, this.audit, false));
    return {
      data: removals.flatMap((removal, i) => {
        const id = removal.outcome === 'unknown' ? idOf(targets[i]) : removal.entry.id;
        return id === null ? [] : [{ ...referenceTo(id), deleted: removal.outcome === 'removed' }];
      }),
    };
  }

  private async addAll(caller: Principal, emails: string[]): Promise<Reference[]> {
    const stored = await this.entries.add(
      caller,
      emails.map((email) => toSuppression({ email })),
    );
    return stored.map(({ entry }) => referenceTo(entry.id));
  }
}

/** @throws Refusal `not_found` for text that is neither an id nor an address */
const targetOf = (written: string): SuppressionTarget => orNotFound(suppressionTarget(fromResendId('sup', written)));

const idOf = (target: SuppressionTarget): string | null => ('id' in target ? target.id : null);

/** @throws Refusal `validation_error` when both fields are given */
function targetsOf({ emails, ids }: ResendReleaseAllDto): SuppressionTarget[] {
  requireOnlyOne({ emails, ids });
  if (ids !== undefined) return ids.map((id) => ({ id: fromResendId('sup', id) }));
  return (emails ?? []).map((email) => ({ address: normaliseAddress(email), domainId: null }));
}
