import { expect, it } from 'vitest';
import { isRedacted } from './redacted-address.js';

it.each([
  'redacted@rcpt.example',
  'Redacted-Address@rcpt.example',
  '[removed]@rcpt.example',
  'a***@rcpt.example',
  'xxxxxx@rcpt.example',
  '8f14e45fceea167a5a36dedd4bea2543@rcpt.example',
  '3c7bQzT8yLr0mWvX2pKd1A==@rcpt.example',
])('%s hides somebody', (address) => expect(isRedacted(address)).toBe(true));

it.each([
  'ada@rcpt.example',
  'ada.lovelace+offers2026@rcpt.example',
  'Ada.Lovelace@rcpt.example',
  'xavier@rcpt.example',
])('%s hides nobody', (address) => expect(isRedacted(address)).toBe(false));
