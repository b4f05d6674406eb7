import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { HOSTILE_HTML, SCRIPT_RAN, type HostileHtml } from '../../support/samples/hostile-html.js';
import type { Profile } from '../../support/browser/chromium.js';
import { until } from '../../support/timing/until.js';
import { relayClient } from '../../support/services/relay-client.js';
import type { Stage } from './stage.js';

interface Sent extends HostileHtml {
  subject: string;
  id: string;
}

/** Chromium reports on the console what it has stopped, as it should. */
const STOPPED = /./;
/** Addresses of a frame before its document is loaded and after a stopped navigation. */
const STAYED = ['about:blank', 'chrome-error://chromewebdata/'];
/** All rows of the list fit, so that each of them is in the page. */
const TALL = { width: 1280, height: 4_500 };

/** Messages that try to act on their reader, shown to one. Some are sent over SMTP, as the sender wrote them. */
export function hostileMessagesSuite(stage: () => Stage): void {
  let messages: Sent[];

  beforeAll(async () => {
    messages = await send(stage());
  });

  it('has no effect on the page of the message, nor as a document of its own', async () => {
    // A private window would not connect in advance to hosts that a document names.
    const victim = await stage().chromium.ordinaryProfile(stage().service);
    victim.expected.push(STOPPED);
    await victim.page.goto(await stage().loginLink());
    const watch = await Watch.over(stage(), victim);
    const alone = await victim.context.newPage();
    for (const [i, message] of messages.filter(({ click }) => click === undefined).entries()) {
      await watch.page.goto(`/app/emails/${message.id}`);
      await watch.page.getByRole('heading', { level: 1, name: message.subject }).waitFor();
      await shown(watch.page, message);
      if (i % 4 === 0) {
        await alone.goto(`/app/message/${message.id}`);
        expect(new URL(alone.url()).pathname, message.name).toBe(`/app/message/${message.id}`);
      }
      await watch.expectNothing(message.name, 2);
    }
    await alone.close();
  });

  it('has no effect in Captured, also if the reader clicks on it', async () => {
    const { owner, chromium } = stage();
    owner.expected.push(STOPPED);
    await owner.page.setViewportSize(TALL);
    await owner.visit('Captured');
    const watch = await Watch.over(stage(), owner);
    // Those to click on come last: from then on Chromium may connect to the host of a link, by the act of the reader.
    for (const message of forCaptured(messages)) {
      await owner.page.getByRole('link', { name: message.subject }).click();
      await owner.page.getByRole('heading', { level: 1, name: message.subject }).waitFor();
      await shown(owner.page, message);
      if (message.click !== undefined) {
        chromium.ignoreConnections();
        await owner.page.frameLocator('iframe[title=Message]').locator(message.click).click();
      }
      await watch.expectNothing(message.name, 1);
      await owner.visit('Captured');
    }
  });
}

/** A few that act by themselves, which the page of the message shows all, and all that offer something to click on. */
function forCaptured(messages: Sent[]): Sent[] {
  const [silent, clicked] = [false, true].map((wanted) =>
    messages.filter(({ click }) => (click !== undefined) === wanted),
  );
  return [...silent.filter((_, i) => i % 5 === 0), ...clicked];
}

/** Waits for the content in its frame. */
async function shown(page: Page, { id }: Sent): Promise<void> {
  const frame = await (await page.locator('iframe[title=Message]').elementHandle())?.contentFrame();
  await frame?.waitForLoadState('load');
  expect(new URL(frame?.url() ?? '').pathname).toBe(`/app/message/${id}`);
}

/** Effects forbidden to a message, beside those that every profile watches. */
class Watch {
  private readonly seen: string[] = [];

  private constructor(
    private readonly stage: Stage,
    private readonly victim: Profile,
    private readonly cookies: string,
  ) {
    const { context } = victim;
    context.on('console', (message) => message.text().includes(SCRIPT_RAN) && this.seen.push('a script ran'));
    context.on('dialog', (dialog) => {
      this.seen.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    this.page.on('download', (download) => this.seen.push(`a download: ${download.url()}`));
    this.page.on('framenavigated', (frame) => {
      if (!frame.url().startsWith(victim.origin) && !STAYED.includes(frame.url()))
        this.seen.push(`a navigation to ${frame.url()}`);
    });
  }

  static async over(stage: Stage, victim: Profile): Promise<Watch> {
    return new Watch(stage, victim, await cookiesOf(victim));
  }

  get page(): Page {
    return this.victim.page;
  }

  async expectNothing(name: string, windows: number): Promise<void> {
    const { chromium } = this.stage;
    expect([...this.seen, ...chromium.takeProblems()], name).toEqual([]);
    expect(this.victim.context.pages(), name).toHaveLength(windows);
    expect(await this.page.title(), name).toMatch(/ · Postloft$/);
    expect(new URL(this.page.url()).pathname, name).toMatch(/^\/app\/(emails|captured)/);
    expect(await cookiesOf(this.victim), name).toBe(this.cookies);
  }
}

async function cookiesOf({ context }: Profile): Promise<string> {
  return JSON.stringify((await context.cookies()).map(({ name, value }) => [name, value]));
}

async function send({ service }: Stage): Promise<Sent[]> {
  const created = await service.call('POST', '/api-keys', { name: 'Hostile', mode: 'test' });
  const { token } = (await created.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const transport = relayClient({ ...service, key: token }, { pool: true });
  for (const [i, { html }] of HOSTILE_HTML.entries()) {
    const message = { from: service.from, to: 'victim@example.com', subject: subjectOf(i), html };
    if (i % 2 === 0) await transport.sendMail(message);
    else
      expect(
        (await fetch(`${service.url}/emails`, { method: 'POST', headers, body: JSON.stringify(message) })).status,
      ).toBe(201);
  }
  transport.close();
  const ids = await until(async () => {
    const found = await fetch(`${service.url}/emails?to=victim@example.com&limit=100`, { headers });
    const { data } = (await found.json()) as { data: { id: string; subject: string; status: string }[] };
    return (
      data.filter(({ status }) => status === 'delivered').length === HOSTILE_HTML.length &&
      new Map(data.map(({ id, subject }) => [subject, id]))
    );
  });
  return HOSTILE_HTML.map((one, i) => ({ ...one, subject: subjectOf(i), id: ids.get(subjectOf(i)) ?? '' }));
}

const subjectOf = (i: number): string => `<img src=data:x onerror="console.log('${SCRIPT_RAN}')"> ${1_000 + i}`;
