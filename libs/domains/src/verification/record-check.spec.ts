import { UncachedResolver } from '#libs/dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import type { KeyState, SigningKey } from '../dkim/key-ring.js';
import { expectedRecords } from '../model/expected-records.js';
import { RecordCheck } from './record-check.js';

const SERVICE = 'postloft.test';
const NAME = 'mail.example';

/** Two servers of the zone and the resolver. */
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

/** The verdict if each server has the record (`yes`), does not, or fails. */
async function verdict(state: KeyState, ...answers: ('yes' | 'no' | 'fails' | 'other')[]): Promise<string> {
  const record = recordOf(state);
  for (const [i, answer] of answers.entries()) {
    const TXT = [answer === 'other' ? 'v=DKIM1; p=BBBB' : record.value];
    if (answer === 'no') all[i].remove(record.name);
    else all[i].set(record.name, answer === 'fails' ? { fault: 'SERVFAIL' } : { TXT });
  }
  const [own, second] = all.slice(0, 2).map((dns) => new UncachedResolver([dns.address], 'zone'));
  const resolver = new UncachedResolver([all[2].address]);
  const check = new RecordCheck(NAME, SERVICE, { servers: [own, second, resolver], apex: NAME, resolver });
  return (await check.run([record])).get(record.slot)?.verdict ?? 'none';
}

describe('an active key', () => {
  it('is verified when any server has it', async () => {
    expect(await verdict('active', 'no', 'yes', 'no')).toBe('verified');
    expect(await verdict('active', 'no', 'no', 'no')).toBe('missing');
  });
});

describe('a next key', () => {
  it('is verified when all servers that answer have it', async () => {
    expect(await verdict('next', 'yes', 'yes', 'yes')).toBe('verified');
    expect(await verdict('next', 'yes', 'fails', 'yes')).toBe('verified');
    expect(await verdict('next', 'yes', 'yes', 'fails')).toBe('verified');
  });

  it('is not verified while one server or the resolver does not have it', async () => {
    expect(await verdict('next', 'yes', 'no', 'yes')).toBe('missing');
    expect(await verdict('next', 'yes', 'yes', 'no')).toBe('missing');
    expect(await verdict('next', 'yes', 'other', 'yes')).toBe('wrong');
  });

  it('is judged by the resolver alone where no server of the zone has it, as in a delegated zone', async () => {
    expect(await verdict('next', 'no', 'no', 'yes')).toBe('verified');
    expect(await verdict('next', 'no', 'no', 'no')).toBe('missing');
    expect(await verdict('next', 'no', 'no', 'fails')).toBe('unanswered');
    expect(await verdict('next', 'fails', 'fails', 'fails')).toBe('unanswered');
  });
});

describe('SPF', () => {
  const OURS = `include:spf.${SERVICE}`;
  /** The outcome with these TXT records, of which the zone and the resolver have the same. */
  async function outcome(records: Record<string, string | null>) {
    for (const dns of all)
      for (const [name, text] of Object.entries(records))
        dns.set(name, text === null ? { fault: 'SERVFAIL' } : { TXT: [text] });
    const expected = expectedRecords({ id: 'dom_1', name: NAME, keys: [] }, SERVICE).filter(
      ({ slot }) => slot === 'spf',
    );
    const [own, second] = all.slice(0, 2).map((dns) => new UncachedResolver([dns.address], 'zone'));
    const resolver = new UncachedResolver([all[2].address]);
    const check = new RecordCheck(NAME, SERVICE, { servers: [own, second, resolver], apex: NAME, resolver });
    const found = (await check.run(expected)).get('spf');
    for (const dns of all) for (const name of Object.keys(records)) dns.remove(name);
    return found;
  }

  it.each([
    ['redirect=', `v=spf1 redirect=_spf.${NAME}`, `_spf.${NAME}`],
    ['an include in the zone', `v=spf1 mx include:_spf.${NAME} -all`, `_spf.${NAME}`],
    ['an include elsewhere', 'v=spf1 include:_spf.provider.example -all', '_spf.provider.example'],
  ])('counts as present through %s', async (_what, record, at) => {
    const records = { [NAME]: record, [at]: `v=spf1 ${OURS} -all` };
    expect(await outcome(records)).toEqual({ verdict: 'verified', observed: [record], error: null, value: record });
    expect(await outcome({ ...records, [at]: 'v=spf1 mx -all' })).toMatchObject({ verdict: 'wrong' });
    expect(await outcome({ ...records, [at]: null })).toMatchObject({ verdict: 'unanswered' });
  });

  it('counts as present through names that cost too many look-ups, with a warning', async () => {
    const others = Array.from({ length: 10 }, (_, i) => `include:s${i}.example`).join(' ');
    const records = { [NAME]: `v=spf1 include:_spf.${NAME} ${others} -all`, [`_spf.${NAME}`]: `v=spf1 ${OURS} -all` };
    expect(await outcome(records)).toMatchObject({
      verdict: 'verified',
      error: expect.stringContaining('more than 10 look-ups') as unknown,
    });
  });
});
