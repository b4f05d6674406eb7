import { loadConfig } from '#libs/kernel';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { CHECKS } from '../../apps/standalone/src/doctor/checks/index.js';
import { examine } from '../../apps/standalone/src/doctor/examine.js';
import type { Finding } from '../../apps/standalone/src/doctor/finding.js';
import { openDoctorStage, type DoctorStage } from './doctor-stage.js';
import { ScriptedMx } from './scripted-mx.js';

/** One thing that is wrong, and how the doctor names it. */
export interface Fault {
  name: string;
  /** The check that finds it. */
  check: string;
  break: () => unknown;
  status: Finding['status'];
  /** Part of the message. */
  says: string | RegExp;
  /** Part of what to do about it. */
  fix?: string | RegExp;
  limitMs?: number;
}

interface Look {
  domain?: string | null;
  limitMs?: number;
}

/** Opens a healthy stage for the tests of a file, healed before each; `env` are the settings of the one that runs. */
export function openDoctorRoom(): DoctorRoom {
  const room = new DoctorRoom();
  beforeAll(() => room.open());
  afterAll(() => room.stage.close());
  beforeEach(() => room.begin());
  afterEach(() => room.end());
  return room;
}

export class DoctorRoom {
  stage: DoctorStage;
  env: Record<string, string> = {};
  /** Closed after the test. */
  readonly opened: { close: () => unknown }[] = [];

  async open(): Promise<void> {
    this.stage = await openDoctorStage();
  }

  begin(): void {
    this.stage.heal();
    this.env = { ...this.stage.env };
  }

  async end(): Promise<void> {
    for (const one of this.opened.splice(0)) await one.close();
  }

  /** What one check finds. */
  async look(only: string, { domain = null, limitMs = 3_000 }: Look = {}): Promise<Finding[]> {
    const checks = CHECKS.filter(({ name }) => name === only);
    expect(checks, only).toHaveLength(1);
    const config = loadConfig('cli', this.env);
    const examination = await examine({ config, checks, domain, limitMs });
    await examination.close();
    return examination.findings;
  }

  async complaints(check: string, how: Look = {}): Promise<Finding[]> {
    return (await this.look(check, how)).filter(({ status }) => status === 'warning' || status === 'error');
  }

  async expectNamed(fault: Fault): Promise<void> {
    await fault.break();
    const findings = await this.look(fault.check, { limitMs: fault.limitMs });
    const named = findings.filter(
      ({ status, message }) => status === fault.status && message.match(fault.says) !== null,
    );
    expect(named.length, JSON.stringify(findings, null, 1)).toBeGreaterThan(0);
    expect(named[0].check).toBe(fault.check);
    if (fault.fix !== undefined) expect(named[0].fix).toMatch(fault.fix);
  }

  /** Sources of the SHAPING_FILE. */
  shape(...sources: unknown[]): void {
    this.env['SHAPING_FILE'] = this.stage.file('broken-shaping.json', JSON.stringify({ sources: { main: sources } }));
  }

  /** The certificate of the relay. */
  certify({ cert, key }: { cert: string; key: string }): void {
    this.env['SMTP_TLS_CERT'] = this.stage.file('broken-cert.pem', cert);
    this.env['SMTP_TLS_KEY'] = this.stage.file('broken-key.pem', key);
  }

  async smarthost(script: Parameters<typeof ScriptedMx.start>[0], login = ''): Promise<void> {
    const server = await ScriptedMx.start(script);
    this.opened.push(server);
    Object.assign(this.env, { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: `smtp://${login}127.0.0.1:${server.port}` });
  }

  async listening(server: Server): Promise<number> {
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
