import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IssuedCertificates } from '#libs/certificates';
import { Config, Shutdown, tlsFiles } from '#libs/kernel';

/** Properties of the HTTP server that the HTTPS server has likewise. */
const SHARED = ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'timeout', 'maxHeaderSize'] as const;
const HANDSHAKE_MS = 10_000;

/**
 * Opens HTTPS_PORT, if it is set, for the same application as HTTP_PORT. A client gets the certificate of the name that it asks
 * for: that of HTTP_TLS_CERT if it has the name, else the one by ACME. A client that sends no name gets that of PUBLIC_URL.
 */
export async function openHttps(app: NestFastifyApplication, prepare: (server: Server) => void): Promise<void> {
  const config = app.get(Config);
  const { HTTPS_PORT, HTTP_HOST, PUBLIC_URL } = config.settings;
  if (HTTPS_PORT === undefined) return;
  const http: Server = app.getHttpServer();
  const issued = app.get(IssuedCertificates);
  const files = tlsFiles.read(config, 'HTTP_TLS');
  const contextOf = contextChooser(config, issued);
  const server = createServer({
    ...(files ?? issued.filesOf(new URL(PUBLIC_URL).hostname)),
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS,
    maxHeaderSize: 16_384,
    requireHostHeader: false,
    SNICallback: (name, done) => done(null, contextOf(name) ?? undefined),
  });
  for (const name of SHARED) if (name in http) Object.assign(server, { [name]: http[name as keyof Server] });
  server.on('request', (request, response) => void http.emit('request', request, response));
  server.on('clientError', (error, socket) => void http.emit('clientError', error, socket));
  // A client that refuses the certificate, for example.
  server.on('tlsClientError', () => undefined);
  prepare(server);
  const unwatch = issued.onChange(() => {
    const renewed = files ?? issued.filesOf(new URL(PUBLIC_URL).hostname);
    if (renewed !== null) server.setSecureContext({ ...renewed, minVersion: 'TLSv1.2' });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(HTTPS_PORT, HTTP_HOST, resolve);
  });
  app.get(Shutdown).on('intake', 'https', async () => {
    unwatch();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  });
}

function contextChooser(config: Config, issued: IssuedCertificates): (name: string) => SecureContext | null {
  const files = tlsFiles.read(config, 'HTTP_TLS');
  if (files === null) return (name) => issued.contextOf(name);
  const certificate = new X509Certificate(files.cert);
  const context = createSecureContext({ ...files, minVersion: 'TLSv1.2' });
  return (name) => (certificate.checkHost(name) === undefined ? issued.contextOf(name) : context);
}
