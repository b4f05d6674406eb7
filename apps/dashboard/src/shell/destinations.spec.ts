import { describe, expect, it } from 'vitest';
import { destinationsFor } from './destinations.ts';
import { listAbove, type NavigationItem } from './navigation.ts';

const PAGES = [
  { label: 'Emails', path: '/emails' },
  { label: 'Events', path: '/events' },
  { label: 'API keys', path: '/api-keys' },
] as NavigationItem[];
const DIGITS = '01a21380bb97724e83d0e277c59f3488';
const paths = (text: string) => destinationsFor(text, PAGES).map(({ path }) => path);

describe('destinationsFor', () => {
  it.each([
    [` em_${DIGITS} `, `/emails/em_${DIGITS}`],
    [`dom_${DIGITS}`, `/domains/dom_${DIGITS}`],
    [`wh_${DIGITS}`, `/webhooks/wh_${DIGITS}`],
  ])('opens %s', (text, path) => {
    expect(paths(text)).toEqual([path]);
  });

  it('searches for emails of an address', () => {
    expect(paths('a+b@example.com')).toEqual(['/emails?search=a%2Bb%40example.com']);
  });

  it('finds pages by a part of their name, in any case', () => {
    expect(paths('KEY')).toEqual(['/api-keys', '/emails?search=KEY']);
    expect(paths('e')).toEqual(['/emails', '/events', '/api-keys']);
    expect(paths('')).toEqual(['/emails', '/events', '/api-keys']);
  });

  it('searches for text when no page has the name', () => {
    expect(paths('Receipt 2041')).toEqual(['/emails?search=Receipt+2041']);
  });

  it('takes an unknown or incomplete id for text', () => {
    expect(paths('em_01a2')).toEqual(['/emails?search=em_01a2']);
    expect(paths(`usr_${DIGITS}`)).toEqual([`/emails?search=usr_${DIGITS}`]);
  });
});

describe('listAbove', () => {
  it.each([
    ['/emails/em_1', 'Emails'],
    ['/operator/accounts/x', 'Accounts'],
    ['/operator/nowhere', 'Overview'],
    ['/emailsx', 'Overview'],
  ])('of %s is %s', (path, label) => {
    expect(listAbove(path).label).toBe(label);
  });
});
