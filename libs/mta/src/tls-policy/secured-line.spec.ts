import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  selfSignedCertificate,
  testAuthority,
  type Certificate,
} from '../../../../test/support/self-signed-certificate.js';
import { securedLine, type SecuredLine } from './secured-line.js';

const HOST = 'mx.to.test';
const authority = testAuthority();

async function lineTo(certificate: Certificate): Promise<SecuredLine> {
  const server = tls.createServer(certificate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const trust = { ca: authority.cert, rejectUnauthorized: false };
  const socket = tls.connect({ port, host: '127.0.0.1', servername: HOST, ...trust });
  await once(socket, 'secureConnect');
  try {
    return securedLine(socket);
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('a certificate', () => {
  it('of a trusted authority proves the name in its subjectAltName', async () => {
    expect((await lineTo(authority.issue(HOST))).doubt).toBeNull();
  });

  it.each([
    ['with the name in its subject alone', authority.issueBySubject(HOST), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for another name', authority.issue('elsewhere.test'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is expired', authority.issue(HOST, true), 'CERT_HAS_EXPIRED'],
    ['of nobody', selfSignedCertificate(HOST), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s does not', async (_, certificate, code) => {
    expect((await lineTo(certificate)).doubt).toMatchObject({ code });
  });
});
