import { expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import type { Stage } from './stage.js';

/** Changes both fields in one task, so that nothing is rendered in between. */
const FILL_BOTH_ENDS = `{
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  for (const [index, input] of document.querySelectorAll('input[type="datetime-local"]').entries()) {
    set.call(input, '2026-03-0' + (index + 1) + 'T10:00');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}`;

/** Walks through the pages of a running service. */
export function pagesSuite(stage: () => Stage): void {
  it('opens every page of the navigation by its address', async () => {
    const { owner } = stage();
    const pages = await owner.pages();
    expect(pages.length).toBeGreaterThan(10);
    for (const { label, path } of pages) {
      await owner.open(path);
      expect(await owner.heading().innerText(), path).not.toBe('Not found');
      expect(await owner.page.locator('nav [aria-current=page]').innerText()).toBe(label);
    }
  });

  it('moves the counts and the chart of the overview while messages are sent', async () => {
    const { owner, service } = stage();
    await owner.visit('Overview');
    const accepted = owner.page.locator('[data-number=Accepted]');
    const chart = owner.page.getByRole('img', { name: /^Recipients accepted/ });
    await chart.waitFor();
    // The first answer of the subscription is there once the counts agree with what was sent.
    await until(async () => Number(await accepted.innerText()) > 0, { what: 'the counts of the first messages' });
    const [count, drawing] = [Number(await accepted.innerText()), await chart.screenshot()];
    for (let i = 0; i < 20; i += 1) await service.call('POST', '/emails', service.mail({ to: `r${i}@example.com` }));
    await until(async () => Number(await accepted.innerText()) >= count + 20, { what: 'the messages on the page' });
    await until(async () => !drawing.equals(await chart.screenshot()), { what: 'the chart to move' });
    // The newest period is at the right edge; all messages of this service were accepted in the last hours.
    const { x, y, width, height } = (await chart.boundingBox())!;
    await owner.page.mouse.move(x + width - 30, y + height / 2);
    const tooltip = owner.page.locator('.chart-tooltip');
    await until(async () => /Accepted\s*[1-9]/.test(await tooltip.innerText()), {
      what: 'the counts under the pointer',
    });
  });

  it('leads from a domain at which messages wait to these messages', async () => {
    const { owner, service, network } = stage();
    await network.mailServer('slow.example', { on: { rcpt: '451 4.7.1 Try again later' } });
    for (const [to, subject] of [
      [['mara@slow.example', 'jonas@example.com'], 'To both'],
      [['jonas@example.com'], 'To the other'],
    ])
      await service.call('POST', '/emails', service.mail({ to, subject }));
    await owner.visit('Overview');
    await owner.link('slow.example').click();
    await owner.page.getByRole('table', { name: 'Emails' }).getByText('To both').last().waitFor();
    expect(await owner.page.getByText('To the other').count()).toBe(0);
    expect(await owner.page.getByRole('textbox', { name: 'Recipient domain' }).inputValue()).toBe('slow.example');
    expect(await owner.page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('waiting');
    await owner.visit('Queues');
    await owner.link('slow.example').click();
    await owner.page.getByText('To both').last().waitFor();
    await owner.page.getByRole('textbox', { name: 'Recipient domain' }).fill('none.example');
    await owner.page.getByText('Nothing found').waitFor();
    await owner.button('Clear').click();
    await owner.page.getByText('To the other').last().waitFor();
    expect(await owner.page.getByRole('textbox', { name: 'Recipient domain' }).inputValue()).toBe('');
  });

  it('moves nothing on the page of statistics when its figures arrive, and offers to repeat a failed request', async () => {
    const { owner } = stage();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const isAsked = (body: string | null) => (body ?? '').includes('"startDate"');
    await owner.page.route('**/graphql', async (route) => {
      if (isAsked(route.request().postData())) await held;
      await route.continue();
    });
    const heading = owner.page.getByText('Mailbox providers', { exact: true });
    await owner.visit('Statistics');
    await owner.page.getByRole('status', { name: 'Loading' }).first().waitFor();
    const before = await heading.boundingBox();
    release();
    await owner.page.getByRole('img', { name: /accepted, delivered/ }).waitFor();
    await owner.page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    expect(await heading.boundingBox()).toEqual(before);
    await owner.page.unroute('**/graphql');
    await owner.page.route('**/graphql', (route) =>
      isAsked(route.request().postData()) ? route.abort() : route.continue(),
    );
    owner.expected.push(/ERR_FAILED/);
    await owner.page.getByText('30 days', { exact: true }).click();
    await until(async () => (await owner.button('Try again').count()) === 3, { what: 'a button for each request' });
    await owner.page.unroute('**/graphql');
    for (let left = 3; left > 0; left -= 1) {
      await owner.button('Try again').first().click();
      await until(async () => (await owner.button('Try again').count()) < left, { what: 'the repeated request' });
    }
    await owner.page.getByRole('img', { name: /accepted, delivered/ }).waitFor();
  });

  it('opens a message by its id, and a page by its name, from the keyboard', async () => {
    const { owner, service } = stage();
    const sent = await service.call('POST', '/emails', service.mail({ to: 'id@example.com', subject: 'Found by id' }));
    const { id } = (await sent.json()) as { id: string };
    await owner.visit('Usage');
    const search = owner.page.getByRole('combobox', { name: 'Page, id, address or subject' });
    await owner.page.keyboard.press('Control+k');
    await search.fill(id);
    await search.press('Enter');
    await owner.page.getByRole('heading', { level: 1, name: 'Found by id' }).waitFor();
    await owner.page.keyboard.press('Control+k');
    await search.fill('webh');
    await search.press('Enter');
    await owner.page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  it('requests the session once, together with the scripts', async () => {
    const visitor = await stage().stranger();
    await visitor.page.goto(await stage().loginLink());
    await visitor.heading().waitFor();
    visitor.requests.length = 0;
    await visitor.open('/app/');
    const asked = visitor.requests.map((url) => new URL(url).pathname);
    expect(asked.filter((path) => path === '/app/api/session')).toHaveLength(1);
    expect(asked.indexOf('/app/api/session')).toBeLessThan(asked.indexOf('/graphql'));
    await visitor.context.close();
  });

  it('reschedules a message, and takes that back', async () => {
    const { owner, service } = stage();
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const mail = { ...service.mail({ to: 'later@example.com', subject: 'For later' }), scheduled_at: inHours(40) };
    const { id } = (await (await service.call('POST', '/emails', mail)).json()) as { id: string };
    const scheduledAt = async () => {
      const email = (await (await service.call('GET', `/emails/${id}`)).json()) as { scheduled_at: string };
      return Date.parse(email.scheduled_at);
    };
    const before = await scheduledAt();
    await owner.open(`/app/emails/${id}`);
    await owner.button('Reschedule').click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByLabel('Send at').fill(inHours(20).slice(0, 16));
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    await owner.page.getByText('The email has been rescheduled.').waitFor();
    expect(await scheduledAt()).toBeLessThan(before);
    await owner.button('Undo').click();
    await owner.page.getByText('The email has its previous time again.').waitFor();
    expect(await scheduledAt()).toBe(before);
  });

  it('keeps the filters of lists in the address of the page', async () => {
    const { owner } = stage();
    const { page } = owner;
    await owner.visit('Events');
    const events = page.getByRole('table', { name: 'Events' });
    await events.getByText('jonas@example.com').first().waitFor();
    await page.getByRole('textbox', { name: 'Recipient' }).fill('MARA@slow.example');
    await page.waitForURL(/recipient=/);
    await until(async () => (await events.getByText('jonas@example.com').count()) === 0, { what: 'the filter' });
    await events.getByText('mara@slow.example').first().waitFor();
    await page.getByRole('combobox', { name: 'When' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL(/period=1h/);
    await page.reload();
    await events.getByText('mara@slow.example').first().waitFor();
    expect(await page.getByRole('combobox', { name: 'When' }).inputValue()).toBe('Last hour');
    await owner.visit('Request log');
    await page.getByRole('textbox', { name: 'Path' }).fill('/nowhere');
    await page.waitForURL(/\?endpoint=%2Fnowhere$/);
    await page.getByText('No requests match these filters.').waitFor();
    await owner.visit('Usage');
    await page.getByRole('table', { name: 'Usage by month' }).getByRole('row').nth(1).waitFor();
  });

  it('keeps both of two filters that change before the page is rendered again', async () => {
    const { owner } = stage();
    const { page } = owner;
    await owner.open('/app/events?period=custom');
    await page.getByRole('textbox', { name: 'Recipient' }).waitFor();
    await page.locator('input[type="datetime-local"]').nth(1).waitFor();
    await page.evaluate(FILL_BOTH_ENDS);
    await page.waitForURL(/before=2026-03-02T10%3A00/);
    expect(new URL(page.url()).searchParams.get('after')).toBe('2026-03-01T10:00');
  });

  it('creates a key that works, and deletes it', async () => {
    const { owner, service } = stage();
    await owner.visit('API keys');
    await owner.button('Create API key').click();
    await owner.page.getByRole('textbox', { name: 'Name' }).fill('Web shop');
    await owner.page.getByRole('combobox', { name: 'Permission' }).click();
    await owner.page.getByRole('option', { name: 'Full access' }).click();
    await owner.button('Create').click();
    const key = await owner.page.getByRole('dialog').locator('code').innerText();
    await owner.button('Done').click();
    const status = async () =>
      (await fetch(`${service.url}/domains`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status()).toBe(200);
    await owner.button('Actions for Web shop').click();
    await owner.page.getByRole('menuitem', { name: 'Edit' }).click();
    await owner.page.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await owner.page.getByRole('combobox', { name: 'Permission' }).click();
    await owner.page.getByRole('option', { name: 'Custom scopes' }).click();
    await owner.page.getByRole('combobox', { name: 'Scopes' }).click();
    await owner.page.getByRole('option', { name: 'emails.read' }).click();
    await owner.page.keyboard.press('Tab');
    await owner.page.getByLabel('Expires').fill('2099-01-31T10:00');
    await owner.button('Save').click();
    await owner.page.getByText('Shop has been updated.').waitFor();
    await until(async () => (await status()) === 403, { what: 'the key to lose the scope' });
    const changed = (await (await service.call('GET', '/api-keys')).json()) as { data: Record<string, unknown>[] };
    expect(changed.data.find(({ name }) => name === 'Shop')).toMatchObject({
      scopes: ['emails.read'],
      expires_at: expect.stringMatching(/^2099-01-31/) as string,
    });
    await owner.button('Actions for Shop').click();
    await owner.page.getByRole('menuitem', { name: 'Delete' }).click();
    await owner.button('Delete key').click();
    await owner.page.getByText('Shop has been deleted.').waitFor();
    await until(async () => (await status()) === 401, { what: 'the key to be refused' });
  });

  it('adds a webhook and shows the delivery of its test event', async () => {
    const { owner } = stage();
    const receiver = await WebhookReceiver.start();
    try {
      await owner.visit('Webhooks');
      await owner.button('Add webhook').first().click();
      await owner.page.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/hook'));
      await owner.button('Add').click();
      await owner.page.getByText('Copy the signing secret now').waitFor();
      await owner.button('Done').click();
      await owner.link(receiver.url('/hook')).click();
      await owner.button('Send test event').click();
      await receiver.waitFor('/hook', 1);
      const row = owner.page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
      await row.getByText('delivered').waitFor();
      await row.getByRole('button').click();
      await owner.page.getByRole('dialog').getByText('Call 1: HTTP 200').waitFor();
      await owner.page.keyboard.press('Escape');
    } finally {
      await receiver.close();
    }
  });

  it('shows a captured email by itself', async () => {
    const { owner, service } = stage();
    await owner.visit('Captured');
    // The simulated message of the getting started page; the list listens for new ones by now.
    await owner.page.getByRole('row', { name: 'bounced@sim.postloft.test' }).waitFor();
    expect(await owner.link('Kept here').count()).toBe(0);
    const created = await service.call('POST', '/api-keys', { name: 'Staging', mode: 'test' });
    const { token } = (await created.json()) as { token: string };
    const answer = await fetch(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        service.mail({ subject: 'Kept here', html: '<h1>Caught</h1><a href="https://example.com/">Link</a>' }),
      ),
    });
    expect(answer.status).toBe(201);
    await owner.link('Kept here').click();
    await owner.page.frameLocator('iframe[title=Message]').getByRole('heading', { name: 'Caught' }).waitFor();
    await owner.page.getByRole('tab', { name: 'Checks' }).click();
    await owner.page.getByText('Signed and aligned').waitFor();
  });

  it('lets the keyboard pass by the frame of a message', async () => {
    const { owner } = stage();
    await owner.page.getByRole('tab', { name: 'HTML', exact: true }).click();
    // The keyboard passes over a frame whose document has not arrived.
    await owner.page.frameLocator('iframe[title=Message]').getByRole('link', { name: 'Link' }).waitFor();
    const skip = owner.link('Skip the message');
    await skip.focus();
    await owner.page.keyboard.press('Enter');
    const focused = () => owner.page.evaluate('document.activeElement.id || document.activeElement.tagName');
    await until(async () => (await focused()) === 'after-message', { what: 'the focus behind the message' });
    await owner.page.keyboard.press('Shift+Tab');
    await until(async () => (await focused()) === 'IFRAME', { what: 'the focus in the message', withinMs: 10_000 });
  });

  it('asks to reload, once, after the server has got another version', async () => {
    const { owner } = stage();
    await owner.visit('Domains');
    await owner.page.route('**/graphql', (route) => {
      const body = route.request().postDataJSON() as { documentId?: string };
      return route.continue({ postData: { ...body, documentId: '0'.repeat(64) } });
    });
    owner.expected.push(/status of 400/);
    // Pages that have shown their entries keep them; nobody has opened the last one before.
    for (const page of ['API keys', 'Webhooks', 'Suppressions']) await owner.visit(page);
    await owner.page.getByText('Postloft was updated. Reload the page.').first().waitFor();
    const notice = owner.page.getByRole('alert').filter({ hasText: 'This page is from an earlier version.' });
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    await owner.page.unroute('**/graphql');
    await notice.getByRole('button', { name: 'Reload' }).click();
    await notice.waitFor({ state: 'detached' });
    await owner.page
      .getByText('No suppressed addresses')
      .or(owner.page.getByRole('table', { name: 'Suppressions' }))
      .first()
      .waitFor();
  });

  it('keeps the navigation when the file of a page is gone after an upgrade', async () => {
    const { owner } = stage();
    await owner.open('/app/domains');
    await owner.page.route('**/usage-page*.js', (route) => route.fulfill({ status: 404 }));
    owner.expected.push(/status of 404/, /dynamically imported module/);
    await owner.page.getByRole('navigation').getByRole('link', { name: 'Usage', exact: true }).click();
    await owner.page.getByText('This page cannot be shown.').waitFor();
    await owner.page.getByText('Postloft was updated.').waitFor();
    await owner.page.unroute('**/usage-page*.js');
    await owner.visit('Domains');
    await owner.link(stage().service.domain).waitFor();
    await owner.open('/app/usage');
  });
}
