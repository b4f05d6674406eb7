import type { IdPrefix, Page, PageRequest } from '#libs/contracts';
import { pageRequest, type PageQuery } from '../list.dto.js';
import { fromResendId } from './resend-id.js';

/** A list as clients of Resend know it: without a cursor of its own, the last id they saw is the one to go on from. */
export interface ResendList<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
}

/**
 * The page that was asked for; cursors are UUIDs or ids of ours.
 * @throws Refusal `validation_error` for both cursors at once or for what is neither
 */
export function resendPageRequest({ limit, after, before }: PageQuery, prefix: IdPrefix): PageRequest {
  const idOf = (cursor: string | undefined) => (cursor === undefined ? undefined : fromResendId(prefix, cursor));
  return pageRequest({ limit, after: idOf(after), before: idOf(before) }, prefix);
}

export function resendList<T, R>({ has_more, data }: Page<T>, present: (one: T) => R): ResendList<R> {
  return { object: 'list', has_more, data: data.map((one) => present(one)) };
}
