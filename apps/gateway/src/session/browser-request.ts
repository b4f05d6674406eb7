import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { parseCookie, stringifySetCookie } from 'cookie';
import { Refusal } from '#libs/contracts';
import { isLoopbackHost, type ProxyCheck, parseUrl } from '#libs/kernel';

const SESSION = 'session';
/** Over HTTPS: makes browsers refuse the cookie from other hosts and over plain HTTP (RFC 6265bis section 4.1.3). */
const SECURE_PREFIX = '__Host-';

export type RawRequest = Pick<IncomingMessage, 'headers' | 'method' | 'socket'>;

/** How a browser reached this service: `https`, plain HTTP on the same machine, or plain HTTP over a network. */
type Transport = 'https' | 'loopback' | 'insecure';

/** The rules for requests of browsers, which send cookies by themselves: transport, cookie and origin. */
export class BrowserRequests {
  private readonly publicUrl: URL;

  constructor(
    publicUrl: string,
    private readonly trustsProxy: ProxyCheck,
  ) {
    this.publicUrl = new URL(publicUrl);
  }

  transportOf(request: RawRequest): Transport {
    const host = hostOf(request);
    if (this.isHttps(request) || (this.publicUrl.protocol === 'https:' && host === this.publicUrl.host)) return 'https';
    return isLoopbackHost(hostnameOf(host)) ? 'loopback' : 'insecure';
  }

  /** @throws Refusal session_refused with the code insecure_origin */
  assertMayLogIn(request: RawRequest): void {
    if (this.transportOf(request) !== 'insecure') return;
    const message = 'must be https, or the host localhost';
    throw new Refusal(
      'session_refused',
      [{ field: '', code: 'insecure_origin', message }],
      'The dashboard needs HTTPS: a login over plain HTTP could be overheard, except on this machine (http://localhost).',
    );
  }

  /** The token in the session cookie; null without one. */
  tokenOf(request: RawRequest): string | null {
    return this.valueOf(request, SESSION);
  }

  /** The value of a cookie; null without one. Over a network, plain HTTP has none. */
  valueOf(request: RawRequest, name: string): string | null {
    const transport = this.transportOf(request);
    if (transport === 'insecure') return null;
    return parseCookie(request.headers.cookie ?? '')[nameOver(transport, name)] || null;
  }

  /** The header `Set-Cookie` with this token; null removes the cookie. */
  sessionCookie(request: RawRequest, token: string | null, seconds: number): string {
    return this.cookie(request, SESSION, { value: token ?? '', seconds: token === null ? 0 : seconds });
  }

  /** The header `Set-Cookie` for a cookie that only this service reads. */
  cookie(request: RawRequest, name: string, { value, seconds }: { value: string; seconds: number }): string {
    const transport = this.transportOf(request);
    return stringifySetCookie({
      name: nameOver(transport, name),
      value,
      maxAge: seconds,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: transport === 'https',
    });
  }

  /**
   * Refuses requests that the page of another origin caused. Browsers send Origin with every request that changes something
   * and with every WebSocket upgrade, and Sec-Fetch-Site with the others.
   * @param hasCookie without a cookie, only a foreign origin that is named is refused
   * @throws Refusal session_refused with the code wrong_origin
   */
  assertOwnOrigin(request: RawRequest, { hasCookie }: { hasCookie: boolean }): void {
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isRead = (request.method === 'GET' || request.method === 'HEAD') && request.headers.upgrade === undefined;
    if (origin !== undefined) return this.isOwn(origin, request) ? undefined : refuseOrigin();
    if (site === 'same-origin') return;
    // `none`: the user typed the address or opened a bookmark.
    if (isRead && (site === 'none' || site === undefined)) return;
    if (hasCookie || site !== undefined) refuseOrigin();
  }

  private isOwn(origin: string, request: RawRequest): boolean {
    const url = parseUrl(origin);
    if (url === null) return false;
    if (url.origin === this.publicUrl.origin) return true;
    // A proxy may end TLS, so a page over HTTPS may reach this service over HTTP, but not the other way round.
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || this.isHttps(request))) return false;
    return url.host === hostOf(request, url.protocol);
  }

  private isHttps({ socket, headers }: RawRequest): boolean {
    if (socket instanceof TLSSocket) return true;
    const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
    return forwarded.trim().toLowerCase() === 'https' && this.trustsProxy(socket.remoteAddress ?? '');
  }
}

const nameOver = (transport: Transport, name: string): string => (transport === 'https' ? SECURE_PREFIX + name : name);

/** The Host header without the default port of the scheme; '' if it is invalid. */
function hostOf({ headers }: RawRequest, protocol = 'http:'): string {
  return parseUrl(`${protocol}//${headers.host ?? ''}`)?.host ?? '';
}

const hostnameOf = (host: string): string => (host === '' ? '' : new URL(`http://${host}`).hostname);

function refuseOrigin(): never {
  const message = 'must be the origin of this service';
  throw new Refusal(
    'session_refused',
    [{ field: 'origin', code: 'wrong_origin', message }],
    'The request comes from the page of another site.',
  );
}
