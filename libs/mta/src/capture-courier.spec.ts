import { describe, expect, it } from 'vitest';
import { CaptureCourier } from './capture-courier.js';
import type { CapturedMail, Envelope, OutgoingMessage } from './courier.js';

const job: Envelope & OutgoingMessage = {
  id: 'em_1',
  mailFrom: 'a@from.test',
  recipients: [
    { key: '1', address: 'one@to.test' },
    { key: '2', address: 'two@to.test' },
  ],
  content: () => Promise.resolve(Buffer.from('Subject: x\r\n\r\n.\r\n')),
  sevenBit: () => Promise.resolve(null),
  permit: () => true,
  tls: 'opportunistic',
  source: null,
};

async function deliver(courier: CaptureCourier, one = job) {
  return (await courier.deliver(await courier.resolve(), one, one)).outcomes;
}

function capturing() {
  const kept: CapturedMail[] = [];
  const courier = new CaptureCourier(
    async (mail) => {
      kept.push(mail);
    },
    () => undefined,
  );
  return { kept, courier };
}

describe('capture mode', () => {
  it('stores the bytes and reports that nothing was sent', async () => {
    const { kept, courier } = capturing();
    const outcomes = await deliver(courier);
    expect(outcomes).toMatchObject([
      { key: '1', kind: 'delivered', reply: { text: 'captured, not sent' }, remote: { mx: null } },
      { key: '2', kind: 'delivered' },
    ]);
    expect(kept).toEqual([
      { id: 'em_1', mailFrom: 'a@from.test', recipients: ['one@to.test', 'two@to.test'], content: await job.content() },
    ]);
  });

  it('stores nothing if the claim is lost or the courier is closing', async () => {
    const { kept, courier } = capturing();
    expect(await deliver(courier, { ...job, permit: () => false })).toMatchObject([{ kind: 'abandoned' }, {}]);
    await courier.close(10);
    expect(await deliver(courier)).toMatchObject([{ kind: 'abandoned' }, {}]);
    expect(kept).toEqual([]);
  });

  it('defers if the inbox fails', async () => {
    const events: object[] = [];
    const courier = new CaptureCourier(
      () => Promise.reject(new Error('disk full')),
      (event) => events.push(event),
    );
    expect(await deliver(courier)).toMatchObject([{ kind: 'deferred', phase: 'capture', certainty: 'not_sent' }, {}]);
    expect(events).toMatchObject([{ event: 'courier.capture_failed', id: 'em_1' }]);
  });
});
