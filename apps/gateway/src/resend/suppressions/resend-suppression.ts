import { toPage, type Page, type PageRequest } from '#libs/contracts';
import type { SuppressionOrigin } from '#libs/suppressions';
import type { SuppressionDto } from '../../rest/suppressions/suppressions.dto.js';
import { toResendId } from '../resend-id.js';

export const RESEND_ORIGINS = ['bounce', 'complaint', 'manual'] as const;
export type ResendOrigin = (typeof RESEND_ORIGINS)[number];

/** Typed clients fail on any other value, so an unsubscribed address is shown as added manually. */
const ORIGINS: Readonly<Record<SuppressionOrigin, ResendOrigin>> = {
  bounce: 'bounce',
  complaint: 'complaint',
  manual: 'manual',
  unsubscribe: 'manual',
};

/** The native origins that Resend shows as this one. */
export const toOrigins = (origin: ResendOrigin): SuppressionOrigin[] =>
  (Object.keys(ORIGINS) as SuppressionOrigin[]).filter((native) => ORIGINS[native] === origin);

/** An entry of the suppression list in the format of Resend. */
export interface ResendSuppression {
  id: string;
  email: string;
  origin: ResendOrigin;
  /** The email that caused the entry. */
  source_id: string | null;
  created_at: string;
}

export function toResendSuppression({ id, email, origin, source_id, created_at }: SuppressionDto): ResendSuppression {
  return {
    id: toResendId(id),
    email,
    origin: ORIGINS[origin],
    source_id: source_id === null ? null : toResendId(source_id),
    created_at,
  };
}

/** Merges the pages of the same request for several origins into one. */
export function mergePages(pages: Page<SuppressionDto>[], request: PageRequest): Page<SuppressionDto> {
  const direction = request.before === undefined ? 1 : -1;
  const rows = pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? direction : -direction));
  const page = toPage(request, rows, { id: ({ id }) => id, present: (entry) => entry });
  return { ...page, has_more: page.has_more || pages.some(({ has_more }) => has_more) };
}
