import { hash } from 'node:crypto';

/**
 * What a list by recipient looks up: 64 bits of a hash of account and normalised address, as PostgreSQL's bigint reads
 * it. Short and the same length for every address; who asks compares the mail's account too, so that a collision shows
 * nothing foreign.
 */
export function searchKey(accountId: string, normalisedAddress: string): string {
  return hash('sha256', `${accountId} ${normalisedAddress}`, 'buffer').readBigInt64BE(0).toString();
}
