import type { NavigationItem } from './navigation.ts';

export interface Destination {
  label: string;
  path: string;
}

const ID = /^(em|dom|wh)_[0-9a-f]{32}$/;
const OPENED_BY_ID: Record<string, { noun: string; path: string }> = {
  em: { noun: 'email', path: '/emails' },
  dom: { noun: 'domain', path: '/domains' },
  wh: { noun: 'webhook', path: '/webhooks' },
};
/** Characters from which emails are searched. */
const MIN_SEARCH = 3;

/** Pages and searches for a text, best first: an id, an address, the name of a page, or other text. */
export function destinationsFor(text: string, pages: readonly NavigationItem[]): Destination[] {
  const query = text.trim();
  const prefix = ID.exec(query)?.[1];
  if (prefix !== undefined) {
    const { noun, path } = OPENED_BY_ID[prefix];
    return [{ label: `Open the ${noun} ${query}`, path: `${path}/${query}` }];
  }
  const matching = pages
    .filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()))
    .map(({ label, path }) => ({ label, path }));
  const search = { label: `Search emails for ${query}`, path: `/emails?${new URLSearchParams({ search: query })}` };
  if (query.includes('@')) return [search, ...matching];
  return query.length < MIN_SEARCH ? matching : [...matching, search];
}
