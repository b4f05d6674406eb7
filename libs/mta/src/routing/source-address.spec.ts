import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture } from '../../../../test/support/delivery/courier-fixture.js';

let fixture: CourierFixture;

afterEach(() => fixture.close());

const ALPHA = { address: '127.0.0.71', heloName: 'alpha.from.test' };
const BETA = { address: '127.0.0.72', heloName: 'beta.from.test' };

describe('a source address', () => {
  it('has its own EHLO name, and connections of different sources are never mixed', async () => {
    fixture = await CourierFixture.start();
    const [mx] = await fixture.serve({});
    const from = async (source: typeof ALPHA | null) => (await fixture.send({ ...fixture.job(), source }))[0];
    const outcomes = [await from(ALPHA), await from(BETA), await from(null), await from(ALPHA), await from(BETA)];
    expect(outcomes.map(brief)).toEqual(Array(5).fill('delivered'));
    expect(outcomes.map((outcome) => 'remote' in outcome && outcome.remote.source)).toEqual([
      '127.0.0.71',
      '127.0.0.72',
      '127.0.0.1',
      '127.0.0.71',
      '127.0.0.72',
    ]);
    const greetings = mx.sessions.map((session) => session.commands[0]);
    expect(greetings).toEqual(['EHLO alpha.from.test', 'EHLO beta.from.test', 'EHLO out.from.test']);
  });

  it('skips addresses of the other family, and defers if there are no others', async () => {
    fixture = await CourierFixture.start();
    const [mx] = await fixture.serve({});
    fixture.dns.set('mx1.to.test', { A: ['127.0.0.1'], AAAA: ['::1'] });
    const six = { address: '::1', heloName: 'six.from.test' };
    // Nothing listens on ::1, so the attempt would reach the server if it tried the other family.
    const [refused] = await fixture.send({ ...fixture.job(), source: six });
    expect(refused).toMatchObject({ kind: 'deferred', phase: 'connect', remote: { ip: '::1', source: '::1' } });
    fixture.dns.set('four.test', { A: ['127.0.0.1'] });
    const job = { ...fixture.job('a@four.test'), source: six };
    const [skipped] = await fixture.send(job);
    expect(skipped).toMatchObject({ kind: 'deferred', class: 'routing', reply: { enhanced: '4.4.4' } });
    expect(mx.sessions).toHaveLength(0);
  });

  it('that this machine does not have defers', async () => {
    fixture = await CourierFixture.start();
    await fixture.serve({});
    const source = { address: '192.0.2.1', heloName: 'gone.from.test' };
    const [outcome] = await fixture.send({ ...fixture.job(), source });
    expect(outcome).toMatchObject({
      kind: 'deferred',
      certainty: 'not_sent',
      phase: 'connect',
      reply: { text: expect.stringContaining('192.0.2.1 is not an address of this machine') as string },
    });
  });
});

describe('a name whose address changes with every query', () => {
  it('is queried once: the checked address is the one that is connected to', async () => {
    fixture = await CourierFixture.start({ allowPrivateMx: false });
    const [mx] = await fixture.serve({});
    // The first answer is a public address; nothing leaves this machine for it from a loopback address.
    fixture.dns.set('to.test', { rotating: [['11.0.0.1'], ['127.0.0.1']], ttl: 0 });
    const [outcome] = await fixture.send({ ...fixture.job(), source: ALPHA });
    expect(outcome).toMatchObject({ kind: 'deferred', phase: 'connect', remote: { ip: '11.0.0.1' } });
    expect(fixture.dns.questions.filter(({ type }) => type === 'A')).toHaveLength(1);
    expect(mx.sessions).toHaveLength(0);
  });
});

it('an outcome names the mailbox provider of the MX', async () => {
  fixture = await CourierFixture.start();
  await fixture.serve({});
  fixture.dns.set('to.test', { MX: [{ preference: 1, exchange: 'aspmx.l.google.com' }] });
  fixture.dns.set('aspmx.l.google.com', { A: ['127.0.0.1'] });
  const [outcome] = await fixture.deliver();
  expect(outcome).toMatchObject({ kind: 'delivered', remote: { provider: 'google', source: '127.0.0.1' } });
});
