import type { WebhookPartsFragment } from '../../graphql/generated.ts';

/** Its status, or `failing` while it is enabled and no call succeeds. */
export const stateOf = ({ status, failingSince }: Pick<WebhookPartsFragment, 'status' | 'failingSince'>): string =>
  status === 'enabled' && failingSince !== null ? 'failing' : status;

/** The host of a URL, which names an endpoint in a heading. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
