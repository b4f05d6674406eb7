import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.js';
import { startStandalone, type RunningProgram } from './program.js';
import { openCommandLine, type CommandLine } from './command-line.js';
import { mountCertificate } from '../fixtures/mount-certificate.js';
import { selfSignedCertificate, testAuthority, type Certificate } from '../fixtures/self-signed-certificate.js';
import { SERVICE_NAMES, settingsOf, shapingFile, type ServiceName, type SharedEnvironment } from './profiles.js';

const FORWARDER = new URL('../dns/dns-forwarder.mjs', import.meta.url).pathname;
/** Starts of services in a run of the whole project, shared ones and those of files that kill or reconfigure theirs. */
const MAX_STARTS = 19;
/** 127.16.0.0/16 and up: a network of its own for each file. The ones below belong to tests with a service of their own. */
const FIRST_NETWORK = 16;

/** Connection data of a shared service, as the workers get it. */
export type ServiceData = Pick<RunningProgram, 'url' | 'key' | 'ports' | 'env' | 'pid' | 'dataDir'> & {
  name: ServiceName;
  logFile: string;
  mxPort: number;
  policyPort: number;
  authority: Certificate;
  /** The PEM files that the service `webhooks` shows as its certificate. */
  certificate: SharedEnvironment['certificate'];
};

/** Runs beside the test runner: starts the shared services on demand and lends the workers numbers and DNS zones. */
export class ServiceHost {
  private readonly services = new Map<ServiceName, Promise<ServiceData>>();
  private readonly commandLines = new Map<ServiceName, Promise<CommandLine>>();
  private readonly programs: RunningProgram[] = [];
  private readonly starts: string[] = [];
  private number = FIRST_NETWORK;
  private request = 0;

  private constructor(
    private readonly server: Server,
    private readonly forwarder: ChildProcess,
    private readonly folder: string,
    private readonly shared: SharedEnvironment,
    private readonly authority: Certificate,
  ) {}

  static async start(): Promise<ServiceHost> {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-services-'));
    chmodSync(folder, 0o755);
    const forwarder = fork(FORWARDER);
    const [{ port }] = (await once(forwarder, 'message')) as [{ port: number }];
    const [mxPort, policyPort] = await freePorts(2);
    const authority = testAuthority();
    const shared: SharedEnvironment = {
      dns: `127.0.0.1:${port}`,
      mxPort: String(mxPort),
      policyPort: String(policyPort),
      authority: writtenTo(folder, 'authority.pem', authority.cert),
      certificate: certificateFiles(folder),
      shapingFile: writtenTo(folder, 'shaping.json', JSON.stringify(shapingFile())),
    };
    const server = createServer();
    const host = new ServiceHost(server, forwarder, folder, shared, { cert: authority.cert, key: authority.key });
    server.on('request', (request, response) => {
      // A kept connection may be closed at the moment in which a worker sends its next request over it.
      response.setHeader('connection', 'close');
      host
        .answer(request)
        .then((answer) => response.end(JSON.stringify(answer)))
        .catch((error: Error) => response.writeHead(500).end(error.message));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @throws when a service did not end with code 0, or when more of them were started than a run may. */
  async stop(): Promise<void> {
    for (const commandLine of this.commandLines.values()) await (await commandLine).close();
    const codes = await Promise.all(this.programs.map((program) => program.stop()));
    for (const program of this.programs) program.clean();
    this.forwarder.disconnect();
    this.server.closeAllConnections();
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
    console.log(`services started: ${this.starts.length} (${this.starts.join(', ')})`);
    if (codes.some((code) => code !== 0)) throw new Error(`shared services ended with ${codes.join(', ')}`);
    if (this.starts.length > MAX_STARTS)
      throw new Error(`${this.starts.length} services were started; the tests may start ${MAX_STARTS}`);
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const [, subject, name] = (request.url ?? '').split('/');
    switch (`${request.method} ${subject}`) {
      case 'GET services':
        return this.service(known(name));
      case 'POST commands':
        return this.command(known(name), JSON.parse(await bodyOf(request)) as string[]);
      case 'POST numbers':
        return (this.number += 1);
      case 'POST starts':
        return this.starts.push(name);
      case 'PUT zones':
        return this.setZone(name, Number(await bodyOf(request)));
      case 'DELETE zones':
        return this.setZone(name, null);
      default:
        return fail(`${request.method} ${request.url} is not known`);
    }
  }

  private service(name: ServiceName): Promise<ServiceData> {
    const running = this.services.get(name) ?? this.startService(name);
    this.services.set(name, running);
    running.catch(() => this.services.delete(name));
    return running;
  }

  private async command(name: ServiceName, words: string[]): Promise<unknown> {
    const { env } = await this.service(name);
    const opened = this.commandLines.get(name) ?? openCommandLine(env);
    this.commandLines.set(name, opened);
    return (await opened).run(words);
  }

  private async startService(name: ServiceName): Promise<ServiceData> {
    const logFile = join(this.folder, `${name}.log`);
    const program = await startStandalone(settingsOf(name, this.shared), { logFile, label: name });
    this.programs.push(program);
    // Services do not end with the runner, should it be killed.
    process.once('exit', () => killGroup(program.pid));
    const { url, key, ports, env, pid, dataDir } = program;
    const { mxPort, policyPort, certificate } = this.shared;
    return {
      ...{ name, url, key, ports, env, pid, dataDir, logFile, certificate },
      ...{ mxPort: Number(mxPort), policyPort: Number(policyPort), authority: this.authority },
    };
  }

  private async setZone(zone: string, port: number | null): Promise<null> {
    const id = (this.request += 1);
    const done = new Promise<void>((resolve) => {
      const listener = (message: { id: number }): void => {
        if (message.id !== id) return;
        this.forwarder.off('message', listener);
        resolve();
      };
      this.forwarder.on('message', listener);
    });
    this.forwarder.send({ id, zone, port });
    await done;
    return null;
  }
}

function writtenTo(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** Behind symbolic links in a folder of their own, as an orchestrator mounts a secret that it will replace. */
function certificateFiles(folder: string): SharedEnvironment['certificate'] {
  const own = join(folder, 'certificate');
  mkdirSync(own);
  mountCertificate(own, selfSignedCertificate('first.test'));
  const linked = (name: string): string => {
    symlinkSync(join('..data', name), join(own, name));
    return join(own, name);
  };
  return { cert: linked('tls.crt'), key: linked('tls.key') };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function known(name: string): ServiceName {
  return SERVICE_NAMES.find((one) => one === name) ?? fail(`no service is called ${name}`);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function fail(message: string): never {
  throw new Error(message);
}
