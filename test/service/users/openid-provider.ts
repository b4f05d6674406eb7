import { randomUUID, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export const CLIENT = { id: 'postloft', secret: 'a secret of the client' };

/** What the provider says about the person that logs in next. */
export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

/** A small OpenID provider on this machine, which logs everybody in who comes. */
export class OpenidProvider {
  person: Person = { sub: 'nobody' };
  /** Claims that replace those of the next ID token, for a provider that lies. */
  forged: Record<string, unknown> = {};
  /** Leaves the address to the userinfo endpoint. */
  emailInUserinfo = false;
  private readonly grants = new Map<string, Grant>();
  private readonly server: Server;
  private key: CryptoKey | KeyObject | undefined;
  private jwk: JWK = {};

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/realm`;
  }

  async start(): Promise<this> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    this.key = privateKey;
    this.jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  /** What the browser does at the provider: follows the URL and comes back; the path and query of the redirect URI. */
  async visit(url: string): Promise<string> {
    const response = await fetch(url, { redirect: 'manual' });
    const target = new URL(response.headers.get('location') ?? '');
    return target.pathname + target.search;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    const path = url.pathname.replace('/realm', '');
    if (path === '/.well-known/openid-configuration') return json(response, 200, this.metadata());
    if (path === '/jwks') return json(response, 200, { keys: [this.jwk] });
    if (path === '/authorize') return this.authorize(url.searchParams, response);
    if (path === '/token') return this.token(request, response);
    if (path === '/userinfo') return json(response, 200, this.person);
    json(response, 404, {});
  }

  private metadata(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const redirectUri = query.get('redirect_uri') ?? '';
    const { nonce, code_challenge: challenge } = Object.fromEntries(query);
    this.grants.set(code, { nonce, challenge, redirectUri });
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    target.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: target.href }).end();
  }

  private async token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await textOf(request));
    const grant = this.grants.get(body.get('code') ?? '');
    this.grants.delete(body.get('code') ?? '');
    const expected = `Basic ${Buffer.from(`${encode(CLIENT.id)}:${encode(CLIENT.secret)}`).toString('base64')}`;
    const proof = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (request.headers.authorization !== expected) return json(response, 401, { error: 'invalid_client' });
    if (grant?.challenge !== proof || grant.redirectUri !== body.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    json(response, 200, {
      access_token: randomUUID(),
      token_type: 'Bearer',
      id_token: await this.idToken(grant.nonce),
    });
  }

  private idToken(nonce: string): Promise<string> {
    const { sub, ...rest } = this.person;
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.issuer, aud: CLIENT.id, sub, iat: now, exp: now + 60, nonce },
      ...(this.emailInUserinfo ? {} : rest),
      ...this.forged,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(this.key as CryptoKey);
  }
}

/** RFC 6749 section 2.3.1: the parts are form-encoded. */
const encode = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
