import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number };
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Value }[];
  status: { code?: number };
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: { key: string; value: Value }[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface ReceivedSpan {
  program: string;
  traceId: string;
  id: string;
  parent: string | null;
  name: string;
  failed: boolean;
  attributes: Record<string, string | number | undefined>;
}

/** Receives traces as OTLP over HTTP with JSON. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Header fields of the last request. */
  headers: Record<string, unknown> = {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.headers = request.headers;
        if (request.url === '/v1/traces') receiver.add(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    const receiver = new TraceReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** A trace as an indented tree, in the order of arrival below each parent. */
  tree(traceId: string): string {
    const spans = this.of(traceId);
    const ids = new Set(spans.map(({ id }) => id));
    const below = (parent: string | null, depth: number): string[] =>
      spans
        .filter((span) => (parent === null ? !ids.has(span.parent ?? '') : span.parent === parent))
        .flatMap((span) => [`${'  '.repeat(depth)}${span.program}: ${span.name}`, ...below(span.id, depth + 1)]);
    return below(null, 0).join('\n');
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private add({ resourceSpans }: OtlpBody): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const program = String(named(resource.attributes)['service.name']);
      for (const { spans } of scopeSpans)
        for (const { traceId, spanId, parentSpanId, name, attributes, status } of spans)
          this.spans.push({
            ...{ program, traceId, id: spanId, parent: parentSpanId ?? null, name },
            failed: status.code === 2,
            attributes: named(attributes),
          });
    }
  }
}

const named = (attributes: { key: string; value: Value }[]): ReceivedSpan['attributes'] =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
