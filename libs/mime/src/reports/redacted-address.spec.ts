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
  'a1b2c3d4e5f60718@rcpt.example',
  '5f4dcc3b@rcpt.example',
  'mfrggzdfmztwq2lknnwg23tp@rcpt.example',
  'user-redacted@rcpt.example',
  'unknown@unknown.invalid',
  'recipient@redacted.invalid',
  'x@x',
])('%s is redacted', (address) => expect(isRedacted(address)).toBe(true));

it.each([
  'ada@rcpt.example',
  'ada.lovelace+offers2026@rcpt.example',
  'Ada.Lovelace@rcpt.example',
  'xavier@rcpt.example',
  'xx@rcpt.example',
  '20021124@rcpt.example',
  'ad123456@rcpt.example',
  'decade1999@rcpt.example',
  'facade@rcpt.example',
  'christopher.alexander.montgomery@rcpt.example',
  'christopheralexandermontgomery27@rcpt.example',
  'invalid@rcpt.example',
])('%s is not redacted', (address) => expect(isRedacted(address)).toBe(false));
