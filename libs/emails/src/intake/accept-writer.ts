import type { Allowances } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { StoredContents } from '../message/content/stored-contents.js';
import { type Database, type Queryable, databaseErrors } from '#libs/persistence';
import { IdempotencyKeys, newKeys } from './idempotency-keys.js';
import { fitsOneStatement, insertEmails, insertWithKeys, type EmailRows } from './insert-emails.js';
import type { AcceptRequest, AcceptResult } from './accept-request.js';
import type { Idempotency } from './submission.js';

/** Thrown inside a transaction to roll it back. */
class AllowanceExceeded extends Error {}

const totalUnits = (request: AcceptRequest): number => request.units.reduce((sum, units) => sum + units, 0);
const isLimited = (request: AcceptRequest): request is AcceptRequest & { limit: number } =>
  request.limit !== null && totalUnits(request) > 0;

/**
 * Writes a group of accept requests in one transaction: idempotency keys, then allowances, then everything else in one
 * statement with the bodies as binary parameters. If a request cannot be written, the requests are written one by one,
 * so that the others do not fail with it (docs/decisions/017-group-commit.md).
 */
export class AcceptWriter {
  private readonly keys: IdempotencyKeys;

  constructor(
    private readonly database: Database,
    private readonly allowances: Allowances,
    private readonly contents: StoredContents,
  ) {
    this.keys = new IdempotencyKeys(database);
  }

  async commit(requests: AcceptRequest[]): Promise<(AcceptResult | Error)[]> {
    if (this.database.intakeProblem !== null) return requests.map(() => diskFull());
    try {
      await this.placeContents(requests);
    } catch {
      // The store has logged it.
      return requests.map(() => unavailable());
    }
    try {
      return await this.commitGroup(requests);
    } catch (error) {
      if (databaseErrors.isUnavailable(error)) return requests.map(() => unavailable());
      if (databaseErrors.isRetryable(error)) return this.commitGroup(requests).catch(() => this.oneByOne(requests));
      return this.oneByOne(requests);
    }
  }

  /** Returns the stored result of a request with this key, or null. @throws Refusal `idempotency_mismatch`. */
  earlierResult(idempotency: Idempotency): Promise<AcceptResult | null> {
    return this.keys.earlierResult(idempotency);
  }

  /** Bodies of emails that are not accepted in the end stay where they are, without a row that points to them. */
  private async placeContents(requests: readonly AcceptRequest[]): Promise<void> {
    const emails = requests.flatMap((request) => request.emails);
    const places = await this.contents.place(emails);
    if (places !== null) emails.forEach((email, i) => (email.place = places[i]));
  }

  private async oneByOne(requests: AcceptRequest[]): Promise<(AcceptResult | Error)[]> {
    const results: (AcceptResult | Error)[] = [];
    for (const request of requests)
      results.push(
        await this.commitAlone(request).catch((error: Error) =>
          databaseErrors.isUnavailable(error) ? unavailable() : error,
        ),
      );
    return results;
  }

  private async commitGroup(requests: AcceptRequest[]): Promise<(AcceptResult | Error)[]> {
    if (await this.insertInOneStatement(requests)) return requests.map((request) => resultOf(request));
    const { done, left } = await this.database.transaction(async (tx) => {
      const won = await this.keys.acquire(tx, requests);
      const unfit = await this.reserveAccounts(tx, won);
      const fit = won.filter((request) => !unfit.has(request.accountId) || !isLimited(request));
      const rest = won.filter((request) => !fit.includes(request));
      await this.keys.release(tx, rest);
      await insertEmails(
        tx,
        fit.flatMap((request) => request.emails),
      );
      return { done: new Set(fit), left: new Set(rest) };
    });
    const results: (AcceptResult | Error)[] = [];
    for (const parcel of requests) {
      if (done.has(parcel)) results.push(resultOf(parcel));
      else if (left.has(parcel)) results.push(...(await this.oneByOne([parcel])));
      else results.push(await this.replay(parcel));
    }
    return results;
  }

  /**
   * Handles the usual group, in which no account has a monthly limit and all keys are new, with one statement and one
   * round trip.
   */
  private async insertInOneStatement(requests: AcceptRequest[]): Promise<boolean> {
    const emails = requests.flatMap((request) => request.emails);
    const keys = newKeys(requests);
    if (keys === null || !fitsOneStatement(emails) || requests.some(isLimited)) return false;
    try {
      await insertWithKeys(this.database, emails, keys);
      return true;
    } catch (error) {
      if (databaseErrors.isDuplicate(error)) return false;
      throw error;
    }
  }

  /**
   * Reserves the sum of each account with a limit. Returns the accounts whose sum exceeded the limit; nothing is
   * reserved for them.
   */
  private async reserveAccounts(tx: Queryable, requests: AcceptRequest[]): Promise<Set<string>> {
    const claims = new Map<string, { accountId: string; units: number; limit: number }>();
    for (const request of requests) {
      if (!isLimited(request)) continue;
      const { accountId, limit } = request;
      const claim = claims.get(accountId) ?? { accountId, units: 0, limit };
      claims.set(accountId, { ...claim, units: claim.units + totalUnits(request) });
    }
    // One order for all groups prevents deadlocks.
    const sorted = [...claims.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const booked = sorted.length === 0 ? [] : await this.allowances.reserve(tx, sorted);
    return new Set(sorted.filter((_, i) => !booked[i]).map((claim) => claim.accountId));
  }

  /** Writes one request in its own transaction. A partial request keeps the emails for which the allowance suffices. */
  private async commitAlone(request: AcceptRequest): Promise<AcceptResult | Error> {
    try {
      const result = await this.database.transaction(async (tx) => {
        if (request.idempotency !== null && (await this.keys.acquire(tx, [request])).length === 0) return null;
        const emails = await this.reserveEmails(tx, request);
        await insertEmails(tx, emails);
        const outcome = resultOf(request, emails);
        if (emails.length < request.emails.length) await this.keys.storeAnswer(tx, request.idempotency, outcome.answer);
        return outcome;
      });
      return result ?? (await this.replay(request));
    } catch (error) {
      if (error instanceof AllowanceExceeded) return quotaExceeded(request);
      throw error;
    }
  }

  private async reserveEmails(tx: Queryable, request: AcceptRequest): Promise<EmailRows[]> {
    if (!isLimited(request)) return request.emails;
    const { accountId, limit, units } = request;
    const [all] = await this.allowances.reserve(tx, [{ accountId, units: totalUnits(request), limit }]);
    if (all) return request.emails;
    if (!request.partial) throw new AllowanceExceeded();
    const emails: EmailRows[] = [];
    for (const [i, email] of request.emails.entries()) {
      const [fits] =
        units[i] === 0 ? [true] : await this.allowances.reserve(tx, [{ accountId, units: units[i], limit }]);
      if (fits) emails.push(email);
    }
    if (emails.length === 0) throw new AllowanceExceeded();
    return emails;
  }

  private async replay(request: AcceptRequest): Promise<AcceptResult | Error> {
    const earlier = await this.keys.earlierResult(request.idempotency as Idempotency).catch((error: Error) => error);
    return earlier ?? new Refusal('idempotency_running', [], undefined, 1);
  }
}

function resultOf(request: AcceptRequest, emails: readonly EmailRows[] = request.emails): AcceptResult {
  const set = new Set(emails);
  return { replayed: false, answer: request.answer(set), emails: set };
}

function quotaExceeded(request: AcceptRequest): Refusal {
  const units = totalUnits(request);
  return new Refusal(
    'monthly_quota_exceeded',
    [{ field: '', code: 'quota', message: `needs ${units} of the ${request.limit} units that the plan has a month` }],
    `The monthly allowance does not suffice: this needs ${units} ${units === 1 ? 'unit' : 'units'}, and fewer are left.`,
  );
}

const diskFull = (): Refusal =>
  new Refusal(
    'service_unavailable',
    [],
    'The service is short of disk space and accepts no mail. Try again later.',
    60,
  );
const unavailable = (): Refusal => new Refusal('service_unavailable', [], undefined, 2);
