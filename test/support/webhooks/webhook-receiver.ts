import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { until } from '../timing/until.js';

/** One request as it came in. */
export interface ReceivedCall {
  /** Of `performance.now()`, in ms, when the body was complete. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: string;
  /** The same as it came. */
  bytes: Buffer;
}

/**
 * What a path answers: a status, or more exactly; `reset` breaks the connection, `silent` never answers, `trickle` sends
 * 200 and then a byte now and then, `endless` sends 200 and then bytes without end.
 */
export type ScriptedAnswer = number | DetailedAnswer | 'reset' | 'silent' | 'trickle' | 'endless';

interface DetailedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  delayMs?: number;
}

/** A customer's endpoint on 127.0.0.1: answers by script, remembers every call. Unscripted paths answer 200. */
export class WebhookReceiver {
  readonly calls: ReceivedCall[] = [];
  /** How many connections were ever made. */
  connectionsMade = 0;
  /** Bytes of answers written so far, for judging what a caller lets itself be sent. */
  bytesSent = 0;
  private readonly scripts = new Map<string, ScriptedAnswer[]>();
  private readonly sockets = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: 'http' | 'https',
    /** The names that TLS clients asked for (SNI, RFC 6066 §3). */
    readonly serverNames: readonly string[],
  ) {
    server.on('connection', (socket: Socket) => {
      this.connectionsMade += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.take(request, response));
  }

  /** With a certificate it speaks TLS. */
  static async start(certificate?: { key: string; cert: string }): Promise<WebhookReceiver> {
    const serverNames: string[] = [];
    const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
      serverNames.push(name);
      done(null);
    };
    const server = certificate ? createTlsServer({ ...certificate, SNICallback }) : createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookReceiver(server, certificate ? 'https' : 'http', serverNames);
  }

  get connectionsOpen(): number {
    return this.sockets.size;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `${this.scheme}://${host}:${this.port}${path}`;
  }

  /** The next answers of this path, one per call; the last one is repeated. */
  script(path: string, ...answers: ScriptedAnswer[]): void {
    this.scripts.set(path, answers);
  }

  callsTo(path: string): ReceivedCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  /** The calls of a path as soon as there are `count`. @throws when that takes longer than `withinMs`. */
  waitFor(path: string, count: number, withinMs = 15_000): Promise<ReceivedCall[]> {
    const arrived = async () => this.callsTo(path).length >= count && this.callsTo(path);
    return until(arrived, { withinMs, everyMs: 5, what: `${count} calls to ${path}` });
  }

  /** Breaks every connection; what waits for an answer gets none. */
  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.hangUp();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const path = request.url ?? '';
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString('utf8');
    this.calls.push({ at: performance.now(), path, headers: request.headers, body, bytes });
    const answers = this.scripts.get(path) ?? [];
    this.answer((answers.length > 1 ? answers.shift() : answers[0]) ?? 200, response);
  }

  private answer(answer: ScriptedAnswer, response: ServerResponse): void {
    switch (answer) {
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'silent':
        return;
      case 'trickle':
        this.pour(response, 'x', 200);
        return;
      case 'endless':
        this.pour(response, 'x'.repeat(64 * 1024), 1);
        return;
      default: {
        const { status, headers, body, delayMs }: DetailedAnswer =
          typeof answer === 'number' ? { status: answer } : answer;
        const send = () => response.writeHead(status, headers).end(body);
        if (delayMs === undefined) send();
        else this.timers.add(setTimeout(send, delayMs));
      }
    }
  }

  private pour(response: ServerResponse, piece: string, everyMs: number): void {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const timer = setInterval(() => {
      if (response.destroyed || response.writableNeedDrain) return;
      response.write(piece);
      this.bytesSent += piece.length;
    }, everyMs);
    this.timers.add(timer);
    response.on('close', () => clearInterval(timer));
  }
}
