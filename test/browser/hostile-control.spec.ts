import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium, describeInChromium, type Profile } from '../support/browser/chromium.js';
import { HOSTILE_HTML, SCRIPT_RAN } from '../support/samples/hostile-html.js';

const SETTLE_MS = 400;

/** The messages of the gate would be noticed if the dashboard did nothing against them. */
describeInChromium('Each hostile message, as an ordinary page,', () => {
  let chromium: Chromium;
  let server: Server;
  let profile: Profile;

  beforeAll(async () => {
    chromium = await Chromium.launch();
    server = createServer(({ url = '' }, response) => {
      const found = HOSTILE_HTML[Number(url.slice(1))];
      response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(found?.html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    profile = await chromium.ordinaryProfile({ ports: { http: port, smtp: 0, smtps: 0, inbound: 0 } });
  });
  afterAll(async () => {
    await chromium?.close();
    server?.close();
  });

  describe('has an effect', () =>
    it.each(HOSTILE_HTML.map(({ name, click }, i) => ({ name, click, i })))('$name', async ({ click, i }) => {
      const { port } = server.address() as AddressInfo;
      const page = await profile.context.newPage();
      const { context } = profile;
      const { length: windows } = context.pages();
      const effects: string[] = [];
      page.on('console', (message) => message.text() === SCRIPT_RAN && effects.push('script'));
      page.on('download', () => effects.push('download'));
      chromium.takeProblems();
      const url = `http://localhost:${port}/${i}`;
      await page.goto(url, { waitUntil: 'commit' });
      if (click !== undefined) await page.locator(click).click({ timeout: 5_000 });
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      if (page.url().split('#')[0] !== url) effects.push('navigation');
      if (context.pages().length > windows) effects.push('window');
      if (chromium.takeProblems().length > 0) effects.push('request');
      expect(effects).not.toEqual([]);
      await page.close();
    }));
});
