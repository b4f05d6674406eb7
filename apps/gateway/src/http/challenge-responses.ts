import { createServer, type ServerResponse } from 'node:http';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CertificateStore } from '#libs/certificates';
import { Config, Shutdown } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';

const PREFIX = '/.well-known/acme-challenge/';
/** RFC 8555 section 8.3: base64url. */
const TOKEN = /^[\w-]{1,256}$/;
const TIMEOUT_MS = 10_000;

/** Answers the challenges HTTP-01 of the authority (RFC 8555 section 8.3), on HTTP_PORT and on ACME_HTTP_PORT. */
@Injectable()
export class ChallengeResponses implements OnApplicationBootstrap {
  constructor(
    private readonly store: CertificateStore,
    private readonly config: Config,
    private readonly shutdown: Shutdown,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { ACME_HTTP_PORT, HTTP_HOST } = this.config.settings;
    if (ACME_HTTP_PORT === undefined) return;
    const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, (request, response) => {
      void this.respond(request.url ?? '', response);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(ACME_HTTP_PORT, HTTP_HOST, resolve);
    });
    this.shutdown.on('intake', 'acme challenges', async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    });
  }

  /** False for any request but one of a challenge of this service. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (!request.url.startsWith(PREFIX)) return false;
    const text = await this.responseTo(request.url);
    if (text === null) return false;
    await reply.type('text/plain').send(text);
    return true;
  }

  private async respond(url: string, response: ServerResponse): Promise<void> {
    const text = await this.responseTo(url);
    response.writeHead(text === null ? 404 : 200, { 'content-type': 'text/plain', connection: 'close' });
    response.end(text ?? 'Not found\n');
  }

  private async responseTo(url: string): Promise<string | null> {
    const token = url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '';
    if (!this.config.settings.ACME_TERMS_AGREED || !TOKEN.test(token)) return null;
    return this.store.challengeResponse(token).catch(() => null);
  }
}
