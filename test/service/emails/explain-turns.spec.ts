import { expect } from 'vitest';
import type { RecipientExplanation } from '../../../libs/queue/src/explanation.resource.js';
import type { GatewayApp } from '../../support/fixtures/gateway-app.js';
import { gatewayTest as it } from '../../support/fixtures/gateway-tests.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;

it('an explanation counts the mail of the account that comes before a recipient, and none of other accounts', async ({
  gateway,
  own,
}) => {
  const to = ['x@turns.example'];
  const send = async (by: Account, over: object = {}): Promise<string> => {
    const body = { from: `a@${by.domain}`, to, subject: 'Turns', text: 'text', ...over };
    return ((await gateway.agent(by.key).post('/emails').send(body)).body as { id: string }).id;
  };
  const explain = async (id: string) =>
    ((await gateway.agent(own.key).get(`/emails/${id}/explain`)).body as { recipients: RecipientExplanation[] })
      .recipients;
  const aheadOf = async (id: string) => (await explain(id)).map(({ ahead }) => ahead);

  const other = await gateway.account();
  for (let i = 0; i < 3; i += 1) await send(other);
  const bulk = [await send(own, { priority: 'bulk' }), await send(own, { priority: 'bulk' })];
  const first = await send(own);
  const second = await send(own, { to: [...to, 'y@elsewhere.example'] });
  expect([await aheadOf(first), await aheadOf(second)]).toEqual([[0], [1, 0]]);
  expect([await aheadOf(bulk[0]), await aheadOf(bulk[1])]).toEqual([[2], [3]]);
  const [{ because }] = await explain(bulk[1]);
  expect(because).toContain('3 recipients of this account at turns.example come before it.');
  const scheduled = await send(own, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await aheadOf(scheduled)).toEqual([null]);
});
