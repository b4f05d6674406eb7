import { describe, expect, it } from 'vitest';
import { conflictProblems } from './conflict-rules.js';

const POST = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

describe('List-Unsubscribe-Post', () => {
  it.each([
    ['alone', POST],
    ['with an address alone', { ...POST, 'List-Unsubscribe': '<mailto:stop@example.com>' }],
    ['with http', { ...POST, 'list-unsubscribe': '<http://example.com/u>' }],
  ])('is refused %s', (_what, headers) => {
    expect(conflictProblems({ text: 'Hi', headers }, 'live')).toEqual([
      {
        field: 'headers.List-Unsubscribe-Post',
        code: 'missing_partner',
        message: 'must be set together with a List-Unsubscribe that has an https URI',
      },
    ]);
  });

  it.each([
    ['with a link', { ...POST, 'list-unsubscribe': '<mailto:stop@example.com>, <HTTPS://example.com/u>' }],
    ['absent', { 'List-Unsubscribe': '<mailto:stop@example.com>' }],
  ])('is accepted %s', (_what, headers) => {
    expect(conflictProblems({ text: 'Hi', headers }, 'live')).toEqual([]);
  });
});
