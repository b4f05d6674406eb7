import https from 'node:https';
import tls from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { Authority, Certificate } from '../fixtures/self-signed-certificate.js';

/** What `mta-sts.<domain>` answers. */
export interface PolicyAnswer {
  body?: string;
  status?: number;
  headers?: Record<string, string>;
  /** Instead of one by the authority for the name that was asked for. */
  certificate?: Certificate;
}

/** The web servers of many domains with MTA-STS policies, on one port of a loopback address. */
export class PolicyServer {
  /** `mta-sts.example.org/.well-known/mta-sts.txt` */
  readonly asked: string[] = [];
  private readonly answers = new Map<string, PolicyAnswer>();

  private constructor(
    private readonly server: https.Server,
    readonly host: string,
    readonly port: number,
  ) {}

  static async start(authority: Authority, { host = '127.0.0.1', port = 0 } = {}): Promise<PolicyServer> {
    const own = authority.issue('policy.test');
    const server: https.Server = https.createServer({
      ...own,
      SNICallback: (name, done) =>
        done(null, tls.createSecureContext(started.answers.get(name)?.certificate ?? authority.issue(name))),
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    const started: PolicyServer = new PolicyServer(server, host, (server.address() as AddressInfo).port);
    server.on('request', (request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      started.asked.push(host + request.url);
      const { body = '', status = 200, headers = {} } = started.answers.get(host) ?? { status: 404 };
      response.writeHead(request.url === '/.well-known/mta-sts.txt' ? status : 404, {
        'content-type': 'text/plain; charset=utf-8',
        ...headers,
      });
      response.end(body);
    });
    return started;
  }

  set(domain: string, answer: PolicyAnswer): void {
    this.answers.set(`mta-sts.${domain}`, answer);
  }

  /** How often the file of a domain was fetched. */
  count(domain: string): number {
    return this.asked.filter((one) => one.startsWith(`mta-sts.${domain}/`)).length;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** A policy file as it should be. */
export function policyFile(mode: string, ...mx: string[]): string {
  return ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), 'max_age: 86400', ''].join('\r\n');
}
