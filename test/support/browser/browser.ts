import { request as httpRequest } from 'node:http';
import WebSocket from 'ws';

export interface BrowserAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Parsed, if it is JSON. */
  body: ReturnType<JSON['parse']>;
}

interface Options {
  /** Overrides headers that the browser sends by itself; null leaves one out. */
  headers?: Record<string, string | null>;
  body?: unknown;
}

/** A browser with the pages of one service open: keeps cookies, and sends Origin and Sec-Fetch-Site as browsers do. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** Chosen in the page. */
  accountId: string | undefined;

  constructor(
    readonly port: number,
    /** The host name in the address bar. */
    readonly host = `localhost:${port}`,
    /** The address that a proxy reports. */
    readonly address?: string,
  ) {}

  get = (path: string, options?: Options) => this.send('GET', path, options);
  /** Opens a page in a tab. */
  navigate = (path: string) =>
    this.send('GET', path, { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } });
  post = (path: string, body?: unknown, options?: Options) => this.send('POST', path, { ...options, body });
  patch = (path: string, body?: unknown) => this.send('PATCH', path, { body });
  delete = (path: string) => this.send('DELETE', path);

  send(method: string, path: string, { headers = {}, body }: Options = {}): Promise<BrowserAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all: Record<string, string | null> = {
      host: this.host,
      'sec-fetch-site': 'same-origin',
      ...(method === 'GET' ? {} : { origin: `http://${this.host}` }),
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...this.common(),
      ...headers,
    };
    const sent = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    return new Promise((resolve, reject) => {
      const request = httpRequest({ port: this.port, host: '127.0.0.1', method, path, headers: sent, agent: false });
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          this.keep(response.headers['set-cookie'] ?? []);
          const answer = Buffer.concat(chunks).toString();
          const isJson = String(response.headers['content-type']).startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: answer,
            body: isJson ? JSON.parse(answer) : undefined,
          });
        });
      });
      request.end(text);
    });
  }

  graphql(query: string, variables?: unknown): Promise<BrowserAnswer> {
    return this.post('/graphql', { query, variables });
  }

  /** An open GraphQL connection, as a page opens one; `payload` of its `connection_init`. */
  async connect(payload: Record<string, string> = {}, origin = `http://${this.host}`): Promise<OpenSocket> {
    const headers = { host: this.host, ...this.common() };
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/graphql`, 'graphql-transport-ws', { headers, origin });
    const closed = new Promise<number>((resolve) => {
      socket.once('close', (code) => resolve(code));
      socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      });
      socket.on('error', () => undefined);
    });
    const acknowledged = new Promise<boolean>((resolve) => {
      socket.on('message', (data: Buffer) => data.toString().includes('connection_ack') && resolve(true));
      void closed.then(() => resolve(false));
    });
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
    return { socket, closed, acknowledged: await acknowledged };
  }

  private common(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return {
      ...(cookie === '' ? {} : { cookie }),
      ...(this.accountId === undefined ? {} : { 'x-account-id': this.accountId }),
      ...(this.address === undefined ? {} : { 'x-forwarded-for': this.address }),
    };
  }

  private keep(setCookies: string[]): void {
    for (const line of setCookies) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(line)) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

export interface OpenSocket {
  socket: WebSocket;
  /** The code of its end, or the status of a refused upgrade. */
  closed: Promise<number>;
  acknowledged: boolean;
}
