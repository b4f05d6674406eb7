import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ApiKeys, type Principal, permissions } from '#libs/accounts';
import { Config, trustedProxies, type ProxyCheck } from '#libs/kernel';
import { bearerToken, clientAddress } from '../../http/caller.js';
import { KeyAttempts } from '../../http/key-attempts.js';
import { ACCOUNT_HEADER, SessionAccess } from '../../session/session-access.js';

interface Authenticated {
  principal: Principal;
  /** Looks the key or the session up again. @throws Refusal */
  authenticate: () => Promise<Principal>;
}

/** Authenticates WebSocket connections by an API key or a session of the dashboard. */
@Injectable()
export class SocketAuthentication {
  private readonly trustsProxy: ProxyCheck;

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly keyAttempts: KeyAttempts,
    private readonly sessionAccess: SessionAccess,
    { settings }: Config,
  ) {
    this.trustsProxy = trustedProxies(settings.TRUST_PROXY);
  }

  /**
   * A key in `connection_init` is used instead of a session cookie of the upgrade. The account of a session is that of
   * `connection_init` as long as the connection lasts, whatever the person joins or leaves meanwhile.
   * @throws Refusal
   */
  async authenticate(params: Record<string, unknown> | undefined, request: IncomingMessage): Promise<Authenticated> {
    const authorization = params?.['Authorization'] ?? params?.['authorization'];
    const cookie = authorization === undefined ? this.sessionAccess.tokenOf(request) : null;
    const address = clientAddress(request, this.trustsProxy);
    if (cookie !== null) {
      const principal = await this.sessionAccess.principalOf(cookie, params?.[ACCOUNT_HEADER], address);
      const again = () => this.sessionAccess.principalOf(cookie, principal.accountId, address);
      return { principal: admitted(principal, address), authenticate: async () => admitted(await again(), address) };
    }
    const token = bearerToken(authorization);
    const principal = await this.keyAttempts.authenticate(token, address);
    const again = () => this.apiKeys.authenticate(token);
    return {
      principal: admitted({ ...principal, ip: address }, address),
      authenticate: async () => admitted({ ...(await again()), ip: address }, address),
    };
  }
}

function admitted(principal: Principal, address: string): Principal {
  permissions.requireAddress(principal, address);
  permissions.requireStanding(principal);
  return principal;
}
