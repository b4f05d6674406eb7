import { toPage, type Page, type PageRequest } from '#libs/contracts';
import type { SuppressionOrigin, SuppressionView } from '#libs/suppressions';
import { toResendId } from './resend-id.js';

export const RESEND_ORIGINS = ['bounce', 'complaint', 'manual'] as const;
export type ResendOrigin = (typeof RESEND_ORIGINS)[number];

/** Clients that read into closed types break on any other word, so whoever unsubscribed is among those put on by hand. */
const ORIGINS: Readonly<Record<SuppressionOrigin, ResendOrigin>> = {
  bounce: 'bounce',
  complaint: 'complaint',
  manual: 'manual',
  unsubscribe: 'manual',
};

/** Our origins behind a word of theirs. */
export const originsBehind = (theirs: ResendOrigin): SuppressionOrigin[] =>
  (Object.keys(ORIGINS) as SuppressionOrigin[]).filter((ours) => ORIGINS[ours] === theirs);

/** An entry of the list as clients of Resend know it. */
export interface ResendSuppression {
  id: string;
  email: string;
  origin: ResendOrigin;
  /** The mail that led here. */
  source_id: string | null;
  created_at: string;
}

export function resendSuppression({ id, email, origin, source_id, created_at }: SuppressionView): ResendSuppression {
  return {
    id: toResendId(id),
    email,
    origin: ORIGINS[origin],
    source_id: source_id === null ? null : toResendId(source_id),
    created_at,
  };
}

/** One page out of several that answer the same request for different origins. */
export function merged(pages: Page<SuppressionView>[], request: PageRequest): Page<SuppressionView> {
  const direction = request.before === undefined ? 1 : -1;
  const rows = pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? direction : -direction));
  const page = toPage(request, rows, { id: ({ id }) => id, present: (entry) => entry });
  return { ...page, has_more: page.has_more || pages.some(({ has_more }) => has_more) };
}
