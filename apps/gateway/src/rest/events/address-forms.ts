import { domainToUnicode } from 'node:url';
import { domainOf, normaliseAddress } from '#libs/mime';

/**
 * The spellings under which events may contain an address, in lower case and Normalization Form C: events keep the domain as it
 * was given.
 */
export function addressForms(written: string): string[] {
  const normalised = normaliseAddress(written);
  const local = normalised.slice(0, normalised.lastIndexOf('@') + 1);
  return [
    ...new Set([
      normalised,
      `${local}${domainToUnicode(domainOf(normalised))}`,
      written.trim().toLowerCase().normalize('NFC'),
    ]),
  ];
}
