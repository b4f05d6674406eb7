import type { IdPrefix, Page, PageRequest } from '#libs/contracts';
import { pageRequest, type PageQuery } from '../list.dto.js';
import { fromResendId } from './resend-id.js';

/** A list as clients of Resend know it: the cursor of the next page is the id of its last entry. */
export interface ResendList<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
}

/** The page that was asked for; cursors are UUIDs or ids of ours. @throws Refusal as `pageRequest` does. */
export function resendPageRequest({ limit, after, before }: PageQuery, prefix: IdPrefix): PageRequest {
  return pageRequest({ limit, after: ours(after, prefix), before: ours(before, prefix) }, prefix);
}

const ours = (cursor: string | undefined, prefix: IdPrefix) =>
  cursor === undefined ? undefined : fromResendId(prefix, cursor);

/** One page of ours with its entries as those clients know them. */
export function resendList<Ours, Theirs>(page: Page<Ours>, present: (entry: Ours) => Theirs): ResendList<Theirs> {
  return { object: 'list', has_more: page.has_more, data: page.data.map((entry) => present(entry)) };
}
