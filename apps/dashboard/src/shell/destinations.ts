import type { NavigationItem } from './navigation.ts';

export interface Destination {
  label: string;
  path: string;
}

const ID = /^(em|cap|dom|wh)_[0-9a-f]{32}$/;
const OPENED_BY_ID: Record<string, { noun: string; path: string }> = {
  em: { noun: 'message', path: '/emails' },
  cap: { noun: 'captured message', path: '/inbox' },
  dom: { noun: 'domain', path: '/domains' },
  wh: { noun: 'webhook', path: '/webhooks' },
};
/** Characters from which a text is searched for in subjects. */
const MIN_SUBJECT = 3;

/** Pages and searches for a text, best first: an id, an address, the name of a page, or the start of a subject. */
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
  if (query.includes('@')) return [search('Emails to', 'to', query), search('Emails from', 'from', query), ...matching];
  return query.length < MIN_SUBJECT ? matching : [...matching, search('Emails with the subject', 'subject', query)];
}

const search = (label: string, name: string, value: string): Destination => ({
  label: `${label} ${value}`,
  path: `/emails?${new URLSearchParams({ [name]: value }).toString()}`,
});
