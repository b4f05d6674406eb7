import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, entryAt, SuppressionsFixture } from '../../support/fixtures/suppressions-fixture.js';

let fixture: SuppressionsFixture;
beforeAll(async () => {
  fixture = await SuppressionsFixture.open();
});
beforeEach(() => fixture.newAccounts());

const send = (to: string | string[], over: object = {}) =>
  answerOf(
    fixture.agent.post('/emails').send({ from: `shop@${fixture.mine.domain}`, to, subject: 'Hi', text: 'Hi', ...over }),
  );

describe.each(['josé@example.com', 'việt@example.com', '한글@example.com'])('the Unicode forms of %s', (composed) => {
  const decomposed = composed.normalize('NFD');

  it('are one suppressed address', async () => {
    expect((await fixture.add(composed)).email).toBe(composed);
    expect(await answerOf(fixture.agent.post('/suppressions').send({ email: decomposed }))).toMatchObject({
      status: 200,
    });
    expect(await send(decomposed)).toMatchObject({
      status: 422,
      body: { details: [{ field: 'to[0]', code: 'suppressed' }] },
    });
    expect((await fixture.agent.get(entryAt(decomposed))).status).toBe(200);
    expect(await fixture.listed(`q=${encodeURIComponent(decomposed)}`)).toEqual([composed]);
    expect((await fixture.agent.delete(entryAt(decomposed))).status).toBe(200);
    expect((await send(decomposed)).status).toBe(201);
  });

  it('are one address of an imported file', async () => {
    const file = `email\r\n${decomposed}\r\n`;
    expect((await fixture.agent.post('/suppressions/import').type('text/csv').send(file)).status).toBeLessThan(300);
    expect((await send(composed)).status).toBe(422);
  });

  it('are one recipient, who is found by any of them', async () => {
    const { status, body } = await send([composed, decomposed], { cc: [decomposed] });
    expect(status).toBe(201);
    const shown = (await fixture.agent.get(`/emails/${body.id}`)).body as Record<string, unknown>;
    expect(shown).toMatchObject({ to: [composed], cc: [], recipients: [{ address: composed }] });
    for (const form of [composed, decomposed]) {
      const found = await answerOf(fixture.agent.get(`/emails?to=${encodeURIComponent(form)}`));
      expect(found.body.data).toMatchObject([{ id: body.id }]);
      const events = await answerOf(fixture.agent.get(`/events?recipient=${encodeURIComponent(form)}`));
      expect(events.status).toBe(200);
    }
  });
});
