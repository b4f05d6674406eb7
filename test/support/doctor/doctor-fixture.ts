import { loadConfig } from '#libs/kernel';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { CHECKS } from '../../../libs/doctor/src/checks/index.js';
import { runChecks } from '../../../libs/doctor/src/run-checks.js';
import type { CheckResult } from '../../../libs/doctor/src/check.js';
import { startDoctorNetwork, type DoctorNetwork } from './doctor-network.js';
import { ScriptedMx } from '../mail-servers/scripted-mx.js';

/** A fault and the result that reports it. */
export interface Fault {
  name: string;
  /** The check that reports it. */
  check: string;
  break: () => unknown;
  status: CheckResult['status'];
  /** Part of the message. */
  message: string | RegExp;
  /** Part of the fix. */
  fix?: string | RegExp;
  limitMs?: number;
}

interface RunOptions {
  domain?: string | null;
  limitMs?: number;
}

/** Starts a network without a fault for the tests of a file. It is reset before each test. */
export function useDoctorFixture(): DoctorFixture {
  const fixture = new DoctorFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.network.close());
  beforeEach(() => fixture.reset());
  afterEach(() => fixture.closeOpened());
  return fixture;
}

export class DoctorFixture {
  network: DoctorNetwork;
  /** Settings of the current test. */
  env: Record<string, string> = {};
  /** Closed after the current test. */
  readonly opened: { close: () => unknown }[] = [];

  async open(): Promise<void> {
    this.network = await startDoctorNetwork();
  }

  reset(): void {
    this.network.reset();
    this.env = { ...this.network.env };
  }

  async closeOpened(): Promise<void> {
    for (const one of this.opened.splice(0)) await one.close();
  }

  /** The results of one check. */
  async run(only: string, { domain = null, limitMs = 3_000 }: RunOptions = {}): Promise<CheckResult[]> {
    const checks = CHECKS.filter(({ name }) => name === only);
    expect(checks, only).toHaveLength(1);
    const config = loadConfig('cli', this.env);
    const run = await runChecks({ config, checks, domain, limitMs });
    await run.close();
    return run.results;
  }

  async problems(check: string, options: RunOptions = {}): Promise<CheckResult[]> {
    return (await this.run(check, options)).filter(({ status }) => status === 'warning' || status === 'error');
  }

  async expectReported(fault: Fault): Promise<void> {
    await fault.break();
    const findings = await this.run(fault.check, { limitMs: fault.limitMs });
    const named = findings.filter(
      ({ status, message }) => status === fault.status && message.match(fault.message) !== null,
    );
    expect(named.length, JSON.stringify(findings, null, 1)).toBeGreaterThan(0);
    expect(named[0].check).toBe(fault.check);
    if (fault.fix !== undefined) expect(named[0].fix).toMatch(fault.fix);
  }

  /** Writes a SHAPING_FILE with these sources. */
  setSources(...sources: unknown[]): void {
    this.env['SHAPING_FILE'] = this.network.file('broken-shaping.json', JSON.stringify({ sources: { main: sources } }));
  }

  setRelayCertificate({ cert, key }: { cert: string; key: string }): void {
    this.env['SMTP_TLS_CERT'] = this.network.file('broken-cert.pem', cert);
    this.env['SMTP_TLS_KEY'] = this.network.file('broken-key.pem', key);
  }

  async useSmarthost(script: Parameters<typeof ScriptedMx.start>[0], login = ''): Promise<void> {
    const server = await ScriptedMx.start(script);
    this.opened.push(server);
    Object.assign(this.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: `smtp://${login}127.0.0.1:${server.port}` });
  }

  async listen(server: Server): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    };
    this.opened.push({ close });
    return (server.address() as AddressInfo).port;
  }
}
