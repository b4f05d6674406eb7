import { UncachedResolver } from '#libs/dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import type { SigningKey } from '../dkim/key-ring.js';
import { judgeKeyRecord } from './key-record.js';

const NAME = 'pl1._domainkey.mail.example';
const ALIAS = 'pl1.entry.dkim.postloft.test';
const KEY = `v=DKIM1; k=rsa; p=${'A'.repeat(300)}`;
const dkim = { key: { algorithm: 'rsa', publicKey: 'A'.repeat(300) } as SigningKey, alias: ALIAS };

let own: LocalDns;
let world: LocalDns;
beforeAll(async () => {
  own = await LocalDns.start();
  world = await LocalDns.start();
});
afterAll(() => Promise.all([own.close(), world.close()]));

/** The customer's server has its own zone only; the resolver has both. */
function publish(zone: Record<string, { TXT?: string[]; CNAME?: string }>, elsewhere: typeof zone = {}): void {
  for (const [name, records] of Object.entries(zone)) for (const dns of [own, world]) dns.set(name, records);
  for (const [name, records] of Object.entries(elsewhere)) world.set(name, records);
}
function judge(from: 'zone' | 'everything' = 'everything') {
  const servers = {
    server: new UncachedResolver([own.address], from),
    resolver: new UncachedResolver([world.address]),
  };
  return judgeKeyRecord(NAME, dkim, servers);
}

describe('judgeKeyRecord', () => {
  it('accepts a record in several strings', async () => {
    publish({ [NAME]: { TXT: [KEY] } });
    expect(await judge()).toMatchObject({ verdict: 'verified', observed: [KEY] });
  });

  it('follows aliases where a server returns only these', async () => {
    publish(
      { [NAME]: { CNAME: 'pl1.keys.mail.example' }, 'pl1.keys.mail.example': { CNAME: ALIAS } },
      { [ALIAS]: { TXT: [KEY] } },
    );
    expect(await judge()).toMatchObject({ verdict: 'verified', observed: [KEY] });
  });

  it('resolves the alias that a server of the zone returns', async () => {
    publish({ [NAME]: { CNAME: ALIAS } }, { [ALIAS]: { TXT: [KEY] } });
    expect(await judge('zone')).toMatchObject({ verdict: 'unanswered' });
  });

  it('says that the service has not published the target of a right alias', async () => {
    publish({ [NAME]: { CNAME: ALIAS } });
    world.remove(ALIAS);
    expect(await judge()).toMatchObject({
      verdict: 'missing',
      observed: [ALIAS],
      error: expect.stringContaining('the service has not published'),
    });
  });

  it('returns the target of a wrong alias and its records', async () => {
    publish(
      { [NAME]: { CNAME: 'pl2.entry.dkim.postloft.test' } },
      { 'pl2.entry.dkim.postloft.test': { TXT: ['v=DKIM1; p=BBBB'] } },
    );
    expect(await judge()).toMatchObject({
      verdict: 'wrong',
      observed: ['pl2.entry.dkim.postloft.test', 'v=DKIM1; p=BBBB'],
      error: expect.stringContaining(`Let it lead to ${ALIAS}`),
    });
  });

  it('ends at a loop of aliases', async () => {
    publish({ [NAME]: { CNAME: 'pl9._domainkey.mail.example' }, 'pl9._domainkey.mail.example': { CNAME: NAME } });
    expect(await judge()).toMatchObject({ verdict: expect.stringMatching(/missing|unanswered/) });
    expect(own.questions.length + world.questions.length).toBeLessThan(60);
  });

  it('refuses two records', async () => {
    publish({ [NAME]: { TXT: [KEY, 'v=DKIM1; p=BBBB'] } });
    expect(await judge()).toMatchObject({ verdict: 'wrong', error: expect.stringContaining('more than one') });
  });
});
