import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Chromium, describeInChromium } from '../support/browser/chromium.js';
import { newsletterMail, piecesOf, replacedLinks, type MailPieces } from '../support/messages/newsletter-mail.js';
import { NEWSLETTERS, type Newsletter } from '../support/messages/newsletters.js';
import { RelayFixture } from '../support/smtp/relay-fixture.js';
import { ONE_CONNECTION, relayClient } from '../support/services/relay-client.js';

const READERS = 'readers.example';
/** Where the newsletters of this test are opened. */
const READER = 'http://mailbox.example';
/** Lower than any of them, so that a pixel below the last line would make a page longer. */
const SIZES = [
  { width: 800, height: 40 },
  { width: 390, height: 40 },
];
const EXCLUDED = 'login.shop.example';
/** Fields that the service removes, or writes anew where lines became too long for 8bit. */
const CHANGED = /^(?:X-Service-Track|Content-Transfer-Encoding):/;
const TRACKED = /^https?:\/\/[^/]+\/t\/c\//;

interface Anchor {
  /** As it stands in the document, decoded. */
  attribute: string;
  /** Where a browser goes. */
  href: string;
  isExcluded: boolean;
}

/** Runs in the page. In SVG, the property `href` of an element is no text. */
const ANCHORS = `[...document.querySelectorAll('a[href], area[href]')].map((element) => {
  const attribute = element.getAttribute('href');
  const href = URL.canParse(attribute, document.baseURI) ? new URL(attribute, document.baseURI).href : attribute;
  return { attribute, href, isExcluded: element.hasAttribute('data-no-track') };
})`;

interface Arrival {
  newsletter: Newsletter;
  submitted: MailPieces;
  arrived: MailPieces;
  signatures: string[];
}

/** Newsletters that a relay client submits, as they arrive at another server and look in a browser. */
describeInChromium('tracked newsletters', () => {
  let fixture: RelayFixture;
  let chromium: Chromium;
  let context: BrowserContext;
  let page: Page;
  const arrivals = new Map<string, Arrival>();
  const shown = new Map<string, { html: Buffer; charset: string }>();

  beforeAll(async () => {
    [fixture, chromium] = await Promise.all([RelayFixture.start([READERS]), Chromium.launch()]);
    // Mail clients run no scripts.
    const profile = await chromium.profile(fixture.sender, { javaScriptEnabled: false });
    [context, page] = [profile.context, profile.page];
    await context.route('https://images.shop.example/**', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: picture(route.request().url()) }),
    );
    await context.route(`${READER}/**`, (route) => {
      const { html, charset } = shown.get(new URL(route.request().url()).pathname) ?? {};
      return html ? route.fulfill({ contentType: `text/html; charset=${charset}`, body: html }) : route.abort();
    });
    await submitAll();
  });
  afterAll(async () => {
    await chromium?.close();
    await fixture?.stop();
  });

  async function submitAll(): Promise<void> {
    const { sender } = fixture;
    const [domain] = await sender.json<{ id: string }[]>('GET', '/domains');
    await sender.call('PATCH', `/domains/${domain.id}`, { tracking_exclude: [EXCLUDED] });
    const relay = relayClient(sender, ONE_CONNECTION);
    for (const [index, newsletter] of NEWSLETTERS.entries()) {
      const to = `reader-${index}@${READERS}`;
      const head = [`From: ${sender.from}`, `To: ${to}`, `Subject: Newsletter ${index}`];
      const raw = newsletterMail(newsletter, [...head, 'X-Service-Track: opens, clicks']);
      await relay.sendMail({ envelope: { from: sender.from, to }, raw });
      const mail = await fixture.arrived(to);
      arrivals.set(newsletter.name, {
        newsletter,
        submitted: piecesOf(raw),
        arrived: piecesOf(mail.content),
        signatures: await fixture.signatures(mail),
      });
    }
    relay.close();
  }

  it.each(NEWSLETTERS)('"$name" keeps its octets, its signatures, its look and its links', async ({ name }) => {
    const { newsletter, submitted, arrived, signatures } = arrivals.get(name) as Arrival;
    expect(signatures).toEqual(['pass', 'pass']);
    expect(arrived.others).toEqual(submitted.others);
    expect(arrived.head).toEqual(expect.arrayContaining(submitted.head.filter((field) => !CHANGED.test(field))));
    const links = replacedLinks(submitted.html, arrived.html);
    expect(links.length).toBeGreaterThan(1);

    const before = await look(newsletter, submitted.html);
    const after = await look(newsletter, arrived.html);
    for (const [index, { width }] of SIZES.entries())
      expect(after.screenshots[index].equals(before.screenshots[index]), `${name} at ${width} pixels`).toBe(true);

    expect(after.anchors).toHaveLength(before.anchors.length);
    for (const [index, anchor] of before.anchors.entries()) {
      const { attribute, href } = after.anchors[index];
      expect([anchor.attribute, TRACKED.test(attribute)]).toEqual([
        anchor.attribute,
        isToBeTracked(anchor, newsletter),
      ]);
      expect(TRACKED.test(attribute) ? await destinationOf(attribute) : href).toBe(anchor.href);
    }
  });

  async function look({ charset }: Newsletter, html: Buffer): Promise<{ screenshots: Buffer[]; anchors: Anchor[] }> {
    const path = `/copy-${shown.size}`;
    shown.set(path, { html, charset });
    const screenshots: Buffer[] = [];
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.goto(READER + path, { waitUntil: 'load' });
      screenshots.push(await page.screenshot({ fullPage: true, animations: 'disabled' }));
    }
    const anchors = await page.evaluate<Anchor[]>(ANCHORS);
    // The path of the copy is part of relative addresses only.
    return { screenshots, anchors: anchors.map((one) => ({ ...one, href: one.href.replace(READER + path, READER) })) };
  }
});

function isToBeTracked({ attribute, isExcluded }: Anchor, { charset }: Newsletter): boolean {
  if (!/^\s*https?:/i.test(attribute) || isExcluded || attribute.includes(EXCLUDED)) return false;
  return charset === 'utf-8' || /^[\0-\x7f]*$/.test(attribute);
}

/** Follows a tracking link, as far as the address that it leads to. */
async function destinationOf(link: string): Promise<string> {
  const answer = await fetch(link, { redirect: 'manual' });
  return answer.status === 302 ? new URL(answer.headers.get('location') ?? '').href : `status ${answer.status}`;
}

/** An image with a colour of its own for each address. */
function picture(url: string): string {
  const hue = [...url].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 360, 7);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><rect width="300" height="80" fill="hsl(${hue},60%,50%)"/></svg>`;
}
