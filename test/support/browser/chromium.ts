import { accessSync, constants } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { describe } from 'vitest';
import type { RunningProgram } from '../services/program.js';
import { until } from '../timing/until.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Asked by Chromium itself, whatever it shows. A request of a page to them is noticed all the same. */
const OWN_HOSTS = ['MAP *.googleapis.com ~NOTFOUND', 'MAP *.google.com ~NOTFOUND', 'MAP *.gvt1.com ~NOTFOUND'];
const THIS_MACHINE = ['EXCLUDE localhost', 'EXCLUDE 127.0.0.1'];

/** The browser in CHROMIUM_PATH, or the first one on PATH; null without one. */
function chromiumPath(): string | null {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable) ?? null;
}

/** Tests that need Chromium: skipped without it, unless all engines are required. */
export const describeInChromium = describe.skipIf(
  chromiumPath() === null && process.env['POSTLOFT_REQUIRE_ENGINES'] !== '1',
);

/**
 * Chromium without the outside world: every name except those of this machine leads to a server that only writes down who
 * came. Profiles of it are separate browsers for the service.
 */
export class Chromium {
  private readonly profiles: Profile[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly outside: OutsideWorld,
  ) {}

  static async launch(): Promise<Chromium> {
    const outside = await OutsideWorld.start();
    return new Chromium(await chromium.launch(optionsFor(outside)), outside);
  }

  /** A browser of its own: cookies, storage and cache are shared with no other profile. */
  async profile(service: Listening, options: BrowserContextOptions = {}): Promise<Profile> {
    // The cookies of the dashboard belong to `localhost`, as in the links that the program prints.
    const host = `localhost:${service.ports.http}`;
    const context = await this.browser.newContext({ baseURL: `http://${host}`, ...options });
    const profile = await Profile.open(context, host);
    this.profiles.push(profile);
    return profile;
  }

  /** An ordinary profile, kept on disk: others are private windows, in which Chromium does not connect in advance. */
  async ordinaryProfile(service: Listening): Promise<Profile> {
    const context = await chromium.launchPersistentContext('', {
      ...optionsFor(this.outside),
      baseURL: `http://localhost:${service.ports.http}`,
    });
    const profile = await Profile.open(context, `localhost:${service.ports.http}`);
    this.profiles.push(profile);
    return profile;
  }

  /** Effects that the dashboard must never cause, observed since the last call: each is reported by one test. */
  takeProblems(): string[] {
    const sources = [...this.profiles.map(({ problems }) => problems), this.outside.visits];
    return sources.flatMap((problems) => problems.splice(0));
  }

  /** From now on only requests to foreign hosts are problems, and no connections without one. */
  ignoreConnections(): void {
    this.outside.ignoresConnections = true;
  }

  async close(): Promise<void> {
    await Promise.all(this.profiles.map(({ context }) => context.close()));
    await this.browser.close();
    await this.outside.close();
  }
}

function optionsFor(outside: OutsideWorld): LaunchOptions {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('Chromium is missing: install it, or set CHROMIUM_PATH.');
  const rules = [...OWN_HOSTS, `MAP * 127.0.0.1:${outside.port}`, ...THIS_MACHINE];
  return {
    executablePath,
    args: [
      // Chromium refuses to sandbox its processes when root starts it.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--host-resolver-rules=${rules.join()}`,
      '--disable-dev-shm-usage',
    ],
  };
}

type Listening = Pick<RunningProgram, 'ports'>;

/** One person's browser. Requests to foreign hosts, errors of the console and uncaught errors are written down. */
export class Profile {
  readonly problems: string[] = [];
  /** Every URL that was asked for. */
  readonly requests: string[] = [];
  /** Console messages that match are expected and no problem. */
  readonly expected: RegExp[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly host: string,
  ) {}

  get origin(): string {
    return `http://${this.host}`;
  }

  static async open(context: BrowserContext, host: string): Promise<Profile> {
    const profile = new Profile(context, context.pages()[0] ?? (await context.newPage()), host);
    profile.watch();
    return profile;
  }

  /** The links in the navigation, by label. */
  async pages(): Promise<{ label: string; path: string }[]> {
    const links = await this.page.locator('nav a[href^="/app"]').all();
    return Promise.all(
      links.map(async (link) => ({
        label: (await link.innerText()).trim(),
        path: (await link.getAttribute('href')) ?? '',
      })),
    );
  }

  /** Opens an address below /app, and waits for the page's heading. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.heading().waitFor();
  }

  /** Opens a page by its link in the navigation. */
  async visit(label: string): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name: label, exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name: label }).waitFor();
  }

  heading(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name, exact: true });
  }

  private watch(): void {
    const { context, problems, requests } = this;
    context.on('request', (request) => requests.push(request.url()));
    // Requests that a policy stopped have failed before they left.
    context.on('requestfinished', (request) => this.judge(request.url()));
    context.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'csp') this.judge(request.url());
    });
    context.on('console', (message) => {
      if (message.type() !== 'error' || this.expected.some((one) => one.test(message.text()))) return;
      problems.push(`console error: ${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (error) => problems.push(`uncaught error: ${String(error.error().stack)}`));
  }

  private judge(url: string): void {
    const { protocol, host } = new URL(url);
    if (['http:', 'https:', 'ws:', 'wss:'].includes(protocol) && host !== this.host)
      this.problems.push(`request to a foreign host: ${url}`);
  }
}

/** Where every foreign name leads: no byte is answered, and each connection is a visit. */
class OutsideWorld {
  readonly visits: string[] = [];
  ignoresConnections = false;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      if (!this.ignoresConnections) this.visits.push('a connection to a foreign host');
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', ({ method, url, headers }) => this.visits.push(`${method} ${headers.host}${url}`));
  }

  static async start(): Promise<OutsideWorld> {
    const server = createServer();
    const outside = new OutsideWorld(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return outside;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** The link of the first login, which the program prints at its first start. */
export async function printedLoginLink(program: Pick<RunningProgram, 'output'>): Promise<string> {
  const find = () => /Dashboard +(\S+) {2}\(first login/.exec(program.output())?.[1];
  return until(async () => find(), { what: 'the printed link' });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
