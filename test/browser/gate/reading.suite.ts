import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import type { Stage } from './stage.js';

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

/** Reads messages that are hard to show. */
export function readingSuite(stage: () => Stage): void {
  let images: WebhookReceiver;

  beforeAll(async () => {
    images = await WebhookReceiver.start();
  });
  afterAll(() => images.close());

  async function open(mail: Record<string, unknown>): Promise<void> {
    const { owner, service } = stage();
    const sent = await service.call('POST', '/emails', service.mail(mail));
    const { id } = (await sent.json()) as { id: string };
    await owner.open(`/app/emails/${id}`);
  }

  it('counts remote images, and loads them by the server once the reader asks', async () => {
    const { owner } = stage();
    const image = { status: 200, headers: { 'content-type': 'image/gif' }, body: PIXEL };
    for (const path of ['/one.gif', '/two.gif']) images.script(path, image);
    const html = ['/one.gif', '/two.gif', '/gone.gif']
      .map((path) => `<img src="${images.url(path)}" alt="x">`)
      .join('');
    images.script('/gone.gif', 404);
    await open({ to: 'reader@example.com', subject: 'With images', html });
    await owner.page.getByText('3 remote images not loaded').waitFor();
    expect(images.calls).toHaveLength(0);
    await owner.button('Load once').click();
    await owner.page.getByText('2 of 3 different remote images loaded by the server. 1 did not load').waitFor();
    const shown = owner.page.frameLocator('iframe[title=Message]').locator('img[src^="data:image/gif;base64,"]');
    await until(async () => (await shown.count()) === 2, { what: 'the images in the frame' });
    expect(images.calls.map(({ headers }) => headers['user-agent'])).toEqual(Array(3).fill('Postloft-Fetch/1'));
  });

  it('scales a message of fixed width down to a phone', async () => {
    const { owner } = stage();
    await owner.page.setViewportSize({ width: 390, height: 844 });
    await open({ to: 'phone@example.com', subject: 'Wide', html: '<table width="600"><tr><td>x</table>' });
    const frame = owner.page.locator('iframe[title=Message]');
    await frame.waitFor();
    expect(await frame.evaluate((one: { clientWidth: number }) => one.clientWidth)).toBeGreaterThanOrEqual(630);
    const { x, width } = (await frame.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
    await open({ to: 'phone@example.com', subject: 'Wider', html: '<table width="900"><tr><td>x</table>' });
    await frame.waitFor();
    expect(await frame.evaluate((one: { clientWidth: number }) => one.clientWidth)).toBeGreaterThanOrEqual(900);
    const scaled = (await frame.boundingBox())!;
    expect(scaled.x + scaled.width).toBeLessThanOrEqual(390);
    // One line of text needs no frame as high as the screen.
    expect(scaled.height).toBeLessThan(200);
    await owner.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('groups many recipients by their status, and cuts a long subject', async () => {
    const { owner } = stage();
    const to = Array.from({ length: 40 }, (_, i) => `r${i}@example.com`);
    await open({ to: [...to, 'bounced@simulator.postloft.test'], subject: 'Words '.repeat(60), text: 'x' });
    await owner.button('Show 37 more').waitFor();
    const recipients = owner.page.getByRole('group', { name: 'Recipients' });
    expect(await recipients.getByText('@example.com').count()).toBe(3);
    await owner.button('Show 37 more').click();
    await until(async () => (await recipients.getByText('@example.com').count()) >= 40, { what: 'all recipients' });
    expect((await owner.heading().boundingBox())!.height).toBeLessThan(120);
  });

  it('begins the order of the keyboard with a link to the content', async () => {
    const { owner } = stage();
    await owner.visit('Usage');
    await owner.page.evaluate('document.activeElement.blur()');
    await owner.page.reload();
    await owner.heading().waitFor();
    await owner.page.keyboard.press('Tab');
    expect(await owner.page.locator(':focus').innerText()).toBe('Skip to content');
    await owner.page.keyboard.press('Enter');
    expect(await owner.page.locator(':focus').getAttribute('id')).toBe('content');
    expect(await owner.heading().innerText()).toBe('Usage');
  });
}
