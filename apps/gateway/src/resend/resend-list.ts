import type { IdPrefix, Page, PageRequest } from '#libs/contracts';
import { pageRequest, type PageQuery } from '../rest/list.dto.js';
import { fromResendId } from './resend-id.js';

/** A list in the format of Resend: without `next_cursor`, because clients page by the last id they received. */
export interface ResendList<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
}

/**
 * As `pageRequest`; cursors are UUIDs or native ids.
 * @throws Refusal `validation_error`
 */
export function resendPageRequest({ limit, after, before }: PageQuery, prefix: IdPrefix): PageRequest {
  const idOf = (cursor: string | undefined) => (cursor === undefined ? undefined : fromResendId(prefix, cursor));
  return pageRequest({ limit, after: idOf(after), before: idOf(before) }, prefix);
}

export function toResendList<T, R>({ has_more, data }: Page<T>, toItem: (row: T) => R): ResendList<R> {
  return { object: 'list', has_more, data: data.map((row) => toItem(row)) };
}
