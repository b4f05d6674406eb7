import type { Allowances } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { isDuplicate, isRetryable, isUnavailable, type Database, type Queryable } from '#libs/persistence';
import { IdempotencyKeys, newKeys } from './idempotency-keys.js';
import { fitsOneStatement, insertMails, insertWithKeys, type MailRows } from './insert-mails.js';
import type { Parcel, Written } from './parcel.js';
import type { Idempotency } from './submission.js';

/** Thrown inside a transaction to take it back as a whole. */
class DoesNotFit extends Error {}

const totalOf = (parcel: Parcel): number => parcel.units.reduce((sum, units) => sum + units, 0);
const isLimited = (parcel: Parcel): parcel is Parcel & { limit: number } =>
  parcel.limit !== null && totalOf(parcel) > 0;

/**
 * The one transaction of a group of accepts: idempotency keys, then allowances, then everything else in one statement
 * with the bodies as binary parameters (details §2). A parcel that cannot be written never costs its neighbours.
 */
export class AcceptWriter {
  private readonly keys: IdempotencyKeys;

  constructor(
    private readonly database: Database,
    private readonly allowances: Allowances,
  ) {
    this.keys = new IdempotencyKeys(database);
  }

  async commit(parcels: Parcel[]): Promise<(Written | Error)[]> {
    try {
      return await this.commitGroup(parcels);
    } catch (error) {
      if (isUnavailable(error)) return parcels.map(() => unavailable());
      if (isRetryable(error)) return this.commitGroup(parcels).catch(() => this.oneByOne(parcels));
      return this.oneByOne(parcels);
    }
  }

  /** What a request with this key was answered, if there was one. @throws Refusal `idempotency_mismatch`. */
  earlier(idempotency: Idempotency): Promise<Written | null> {
    return this.keys.earlier(idempotency);
  }

  private async oneByOne(parcels: Parcel[]): Promise<(Written | Error)[]> {
    const results: (Written | Error)[] = [];
    for (const parcel of parcels)
      results.push(
        await this.commitAlone(parcel).catch((error: Error) => (isUnavailable(error) ? unavailable() : error)),
      );
    return results;
  }

  private async commitGroup(parcels: Parcel[]): Promise<(Written | Error)[]> {
    if (await this.insertedAtOnce(parcels)) return parcels.map((parcel) => written(parcel));
    const { done, left } = await this.database.transaction(async (tx) => {
      const won = await this.keys.take(tx, parcels);
      const unfit = await this.reserveAccounts(tx, won);
      const fit = won.filter((parcel) => !unfit.has(parcel.accountId) || !isLimited(parcel));
      const rest = won.filter((parcel) => !fit.includes(parcel));
      await this.keys.giveBack(tx, rest);
      await insertMails(
        tx,
        fit.flatMap((parcel) => parcel.mails),
      );
      return { done: new Set(fit), left: new Set(rest) };
    });
    const results: (Written | Error)[] = [];
    for (const parcel of parcels) {
      if (done.has(parcel)) results.push(written(parcel));
      else if (left.has(parcel)) results.push(...(await this.oneByOne([parcel])));
      else results.push(await this.replay(parcel));
    }
    return results;
  }

  /** The usual group: nobody's month is limited and every key is new. One statement, one round trip. */
  private async insertedAtOnce(parcels: Parcel[]): Promise<boolean> {
    const mails = parcels.flatMap((parcel) => parcel.mails);
    const keys = newKeys(parcels);
    if (keys === null || !fitsOneStatement(mails) || parcels.some(isLimited)) return false;
    try {
      await insertWithKeys(this.database, mails, keys);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /** Books each limited account's sum. @returns the accounts whose sum did not fit: nothing is booked for these. */
  private async reserveAccounts(tx: Queryable, parcels: Parcel[]): Promise<Set<string>> {
    const claims = new Map<string, { accountId: string; units: number; limit: number }>();
    for (const parcel of parcels) {
      if (!isLimited(parcel)) continue;
      const { accountId, limit } = parcel;
      const claim = claims.get(accountId) ?? { accountId, units: 0, limit };
      claims.set(accountId, { ...claim, units: claim.units + totalOf(parcel) });
    }
    // In one order everywhere: two groups never wait for each other's accounts in a ring.
    const sorted = [...claims.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const booked = sorted.length === 0 ? [] : await this.allowances.reserve(tx, sorted);
    return new Set(sorted.filter((_, i) => !booked[i]).map((claim) => claim.accountId));
  }

  /** One parcel in a transaction of its own; a partial one keeps the mails for which the allowance suffices. */
  private async commitAlone(parcel: Parcel): Promise<Written | Error> {
    try {
      const result = await this.database.transaction(async (tx) => {
        if (parcel.idempotency !== null && (await this.keys.take(tx, [parcel])).length === 0) return null;
        const mails = await this.reserveMails(tx, parcel);
        await insertMails(tx, mails);
        const outcome = written(parcel, mails);
        if (mails.length < parcel.mails.length) await this.keys.answer(tx, parcel.idempotency, outcome.answer);
        return outcome;
      });
      return result ?? (await this.replay(parcel));
    } catch (error) {
      if (error instanceof DoesNotFit) return quotaExceeded(parcel);
      throw error;
    }
  }

  private async reserveMails(tx: Queryable, parcel: Parcel): Promise<MailRows[]> {
    if (!isLimited(parcel)) return parcel.mails;
    const { accountId, limit, units } = parcel;
    const [all] = await this.allowances.reserve(tx, [{ accountId, units: totalOf(parcel), limit }]);
    if (all) return parcel.mails;
    if (!parcel.partial) throw new DoesNotFit();
    const mails: MailRows[] = [];
    for (const [i, mail] of parcel.mails.entries()) {
      const [fits] =
        units[i] === 0 ? [true] : await this.allowances.reserve(tx, [{ accountId, units: units[i], limit }]);
      if (fits) mails.push(mail);
    }
    if (mails.length === 0) throw new DoesNotFit();
    return mails;
  }

  private async replay(parcel: Parcel): Promise<Written | Error> {
    const earlier = await this.keys.earlier(parcel.idempotency as Idempotency).catch((error: Error) => error);
    return earlier ?? new Refusal('idempotency_running', [], undefined, 1);
  }
}

function written(parcel: Parcel, mails: readonly MailRows[] = parcel.mails): Written {
  const set = new Set(mails);
  return { replayed: false, answer: parcel.answer(set), mails: set };
}

function quotaExceeded(parcel: Parcel): Refusal {
  const units = totalOf(parcel);
  return new Refusal(
    'monthly_quota_exceeded',
    [{ field: '', code: 'quota', message: `needs ${units} of the ${parcel.limit} units that the plan has a month` }],
    `The monthly allowance does not suffice: this needs ${units} ${units === 1 ? 'unit' : 'units'}, and fewer are left.`,
  );
}

const unavailable = (): Refusal => new Refusal('service_unavailable', [], undefined, 2);
