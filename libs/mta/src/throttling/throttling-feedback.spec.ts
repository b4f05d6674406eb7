import { afterEach, describe, expect, it } from 'vitest';
import { CourierFixture, UNLIMITED } from '../../../../test/support/delivery/courier-fixture.js';
import type { MxMoment, MxScript } from '../../../../test/support/mail-servers/scripted-mx.js';
import { begin, throttlingFixture } from '../../../../test/support/delivery/throttling-fixture.js';

const BUSY = '421 4.3.2 Service not available, closing transmission channel';
const MOMENTS: MxMoment[] = ['banner', 'ehlo', 'mail', 'rcpt', 'data', 'dot'];

describe('the window after a real dialogue', () => {
  let fixture: CourierFixture;
  afterEach(() => fixture.close());

  /** Delivers one message `times` in a row; returns the free slots of its queue and the outcomes. */
  async function slotsAfter(script: MxScript, timeouts = UNLIMITED, times = 1) {
    fixture = await CourierFixture.start({ timeouts });
    await fixture.serve(script);
    const { shaping } = throttlingFixture();
    const destination = await fixture.destination();
    const kinds: string[] = [];
    for (let i = 0; i < times; i += 1) {
      const permit = begin(shaping, destination);
      const outcomes = await fixture.deliver();
      kinds.push(...outcomes.map(({ kind }) => kind));
      permit.release(outcomes);
    }
    return {
      queue: destination.queue,
      slots: shaping.availableSlots(destination),
      kinds,
      penalties: shaping.penalties(),
    };
  }

  it.each(MOMENTS)('is halved by a 421 at %s, and no message bounces', async (moment) => {
    const { queue, slots, kinds } = await slotsAfter({ on: { [moment]: { reply: BUSY, then: 'close' } } });
    expect({ queue, slots, kinds }).toEqual({ queue: 'domain:to.test', slots: 2, kinds: ['deferred'] });
  });

  it.each(MOMENTS)('is halved by a server that is silent at %s', async (moment) => {
    const short = { greeting: 200, ehlo: 200, mail: 200, rcpt: 200, data: 200, dot: 200 };
    const { slots } = await slotsAfter({ on: { [moment]: 'silence' } }, { ...UNLIMITED, ...short });
    expect(slots).toBe(2);
  });

  it('grows with deliveries, and refusals of a recipient do not change it', async () => {
    expect((await slotsAfter({}, UNLIMITED, 3)).slots).toBe(8);
    await fixture.close();
    expect((await slotsAfter({ on: { rcpt: '550 5.1.1 no such user' } }, UNLIMITED, 3)).slots).toBe(5);
    await fixture.close();
    expect((await slotsAfter({ on: { rcpt: '450 4.7.1 greylisted' } }, UNLIMITED, 3)).slots).toBe(5);
  });

  it('is halved by a refused connection', async () => {
    fixture = await CourierFixture.start({ mxPort: 1 });
    fixture.dns.set('to.test', { MX: [{ preference: 10, exchange: 'mx.to.test' }] });
    fixture.dns.set('mx.to.test', { A: ['127.0.0.1'] });
    const { shaping } = throttlingFixture();
    const destination = await fixture.destination();
    begin(shaping, destination).release(await fixture.deliver());
    expect(shaping.availableSlots(destination)).toBe(2);
  });

  it('does not change when only DNS fails', async () => {
    fixture = await CourierFixture.start({ mxPort: 1 }, { 'to.test': { fault: 'SERVFAIL' } });
    const { shaping } = throttlingFixture();
    const destination = await fixture.destination();
    begin(shaping, destination).release(await fixture.deliver());
    expect(shaping.availableSlots(destination)).toBe(5);
  });
});
