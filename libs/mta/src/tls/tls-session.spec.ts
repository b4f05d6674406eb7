import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  selfSignedCertificate,
  testAuthority,
  type Certificate,
} from '../../../../test/support/fixtures/self-signed-certificate.js';
import { readTlsSession, type TlsSession } from './tls-session.js';

const HOST = 'mx.to.test';
const authority = testAuthority();

async function sessionWith(certificate: Certificate): Promise<TlsSession> {
  const server = tls.createServer(certificate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const trust = { ca: authority.cert, rejectUnauthorized: false };
  const socket = tls.connect({ port, host: '127.0.0.1', servername: HOST, ...trust });
  await once(socket, 'secureConnect');
  try {
    return readTlsSession(socket);
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('a certificate', () => {
  it('of a trusted authority is valid for the name in its subjectAltName', async () => {
    expect((await sessionWith(authority.issue(HOST))).certificateProblem).toBeNull();
  });

  it.each([
    ['with the name in its subject only', authority.issueBySubject(HOST), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for another name', authority.issue('elsewhere.test'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is expired', authority.issue(HOST, true), 'CERT_HAS_EXPIRED'],
    ['that is self-signed', selfSignedCertificate(HOST), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s is not valid', async (_, certificate, code) => {
    expect((await sessionWith(certificate)).certificateProblem).toMatchObject({ code });
  });
});
