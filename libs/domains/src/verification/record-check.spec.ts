import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/local-dns.js';
import type { KeyState, SigningKey } from '../dkim/key-ring.js';
import { expectedRecords } from '../expected-records.js';
import { DnsServer } from './dns-server.js';
import { RecordCheck } from './record-check.js';

const SERVICE = 'postloft.test';
const NAME = 'mail.example';

/** Two servers of the zone, and the resolver behind them. */
let all: [LocalDns, LocalDns, LocalDns];
beforeAll(async () => {
  all = [await LocalDns.start(), await LocalDns.start(), await LocalDns.start()];
});
afterAll(() => Promise.all(all.map((dns) => dns.close())));

const recordOf = (state: KeyState) => {
  const key = { algorithm: 'rsa', selector: 'pl1', publicKey: 'AAAA', state } as SigningKey;
  const records = expectedRecords({ id: 'dom_1', name: NAME, keys: [key] }, SERVICE);
  return records.find(({ dkim }) => dkim) ?? expect.fail();
};

/** The verdict where each server has the record (`yes`), has not, or fails. */
async function verdict(state: KeyState, ...answers: ('yes' | 'no' | 'fails' | 'other')[]): Promise<string> {
  const record = recordOf(state);
  for (const [i, answer] of answers.entries()) {
    const TXT = [answer === 'other' ? 'v=DKIM1; p=BBBB' : record.value];
    if (answer === 'no') all[i].remove(record.name);
    else all[i].set(record.name, answer === 'fails' ? { fault: 'SERVFAIL' } : { TXT });
  }
  const [own, second] = all.slice(0, 2).map((dns) => new DnsServer([dns.address], 'zone'));
  const resolver = new DnsServer([all[2].address]);
  const check = new RecordCheck(NAME, SERVICE, { servers: [own, second, resolver], apex: NAME, resolver });
  return (await check.run([record])).get(record.slot)?.verdict ?? 'none';
}

describe('a key that signs', () => {
  it('is there when any server has it', async () => {
    expect(await verdict('active', 'no', 'yes', 'no')).toBe('verified');
    expect(await verdict('active', 'no', 'no', 'no')).toBe('missing');
  });
});

describe('a key that is to sign next', () => {
  it('is there when all that answer have it', async () => {
    expect(await verdict('next', 'yes', 'yes', 'yes')).toBe('verified');
    expect(await verdict('next', 'yes', 'fails', 'yes')).toBe('verified');
    expect(await verdict('next', 'yes', 'yes', 'fails')).toBe('verified');
  });

  it('is not while a server is behind, or the resolver still denies it', async () => {
    expect(await verdict('next', 'yes', 'no', 'yes')).toBe('missing');
    expect(await verdict('next', 'yes', 'yes', 'no')).toBe('missing');
    expect(await verdict('next', 'yes', 'other', 'yes')).toBe('wrong');
  });

  it('is for the resolver to judge where the zone’s servers know nothing of it, as of what they delegate', async () => {
    expect(await verdict('next', 'no', 'no', 'yes')).toBe('verified');
    expect(await verdict('next', 'no', 'no', 'no')).toBe('missing');
    expect(await verdict('next', 'no', 'no', 'fails')).toBe('unanswered');
    expect(await verdict('next', 'fails', 'fails', 'fails')).toBe('unanswered');
  });
});
