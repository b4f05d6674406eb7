import { afterEach, describe, expect, it } from 'vitest';
import { CourierFixture, UNLIMITED } from '../../../../test/support/courier-fixture.js';
import type { MxMoment, MxScript } from '../../../../test/support/scripted-mx.js';
import { begin, shapingDesk } from '../../../../test/support/shaping-desk.js';

const BUSY = '421 4.3.2 Service not available, closing transmission channel';
const MOMENTS: MxMoment[] = ['banner', 'ehlo', 'mail', 'rcpt', 'data', 'dot'];

describe('what a real dialogue teaches', () => {
  let fixture: CourierFixture;
  afterEach(() => fixture.close());

  /** Delivers one mail under shaping, `times` in a row; returns the room of its queue and how the attempts ended. */
  async function roomAfter(script: MxScript, timeouts = UNLIMITED, times = 1) {
    fixture = await CourierFixture.start({ timeouts });
    await fixture.serve(script);
    const { shaping } = shapingDesk();
    const destination = await fixture.destination();
    const kinds: string[] = [];
    for (let i = 0; i < times; i += 1) {
      const pass = begin(shaping, destination);
      const outcomes = await fixture.deliver();
      kinds.push(...outcomes.map(({ kind }) => kind));
      pass.done(outcomes);
    }
    return { queue: destination.queue, room: shaping.room(destination), kinds, restraints: shaping.restraints() };
  }

  it.each(MOMENTS)('halves what goes to a domain whose server says 421 at %s, and bounces nothing', async (moment) => {
    const { queue, room, kinds } = await roomAfter({ on: { [moment]: { reply: BUSY, then: 'close' } } });
    expect({ queue, room, kinds }).toEqual({ queue: 'domain:to.test', room: 2, kinds: ['deferred'] });
  });

  it.each(MOMENTS)('halves it when the server is silent at %s', async (moment) => {
    const short = { greeting: 200, ehlo: 200, mail: 200, rcpt: 200, data: 200, dot: 200 };
    const { room } = await roomAfter({ on: { [moment]: 'silence' } }, { ...UNLIMITED, ...short });
    expect(room).toBe(2);
  });

  it('grows with deliveries, and is left alone by refusals that concern a recipient', async () => {
    expect((await roomAfter({}, UNLIMITED, 3)).room).toBe(8);
    await fixture.close();
    expect((await roomAfter({ on: { rcpt: '550 5.1.1 no such user' } }, UNLIMITED, 3)).room).toBe(5);
    await fixture.close();
    expect((await roomAfter({ on: { rcpt: '450 4.7.1 greylisted' } }, UNLIMITED, 3)).room).toBe(5);
  });

  it('halves it when nobody listens', async () => {
    fixture = await CourierFixture.start({ mxPort: 1 });
    fixture.dns.set('to.test', { MX: [{ preference: 10, exchange: 'mx.to.test' }] });
    fixture.dns.set('mx.to.test', { A: ['127.0.0.1'] });
    const { shaping } = shapingDesk();
    const destination = await fixture.destination();
    begin(shaping, destination).done(await fixture.deliver());
    expect(shaping.room(destination)).toBe(2);
  });

  it('is nothing where only DNS fails', async () => {
    fixture = await CourierFixture.start({ mxPort: 1 }, { 'to.test': { fault: 'SERVFAIL' } });
    const { shaping } = shapingDesk();
    const destination = await fixture.destination();
    begin(shaping, destination).done(await fixture.deliver());
    expect(shaping.room(destination)).toBe(5);
  });
});
