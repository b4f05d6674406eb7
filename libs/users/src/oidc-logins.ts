import { Config, Log, SecretBox } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import * as openid from 'openid-client';
import { Invitations } from './membership/invitations.js';
import type { Letter } from './letter.js';
import { Logins } from './logins.js';
import { Sessions, type Client } from './sessions.js';
import type { User } from './people.resource.js';
import { Users } from './users.js';

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;
/** How long a person may take at the provider. */
const SECONDS = 600;
/** Binds the sealed state to its purpose. */
const SEALED_FOR = 'openid login';

/** Kept by the browser while the person is at the provider, sealed. */
interface PendingLogin {
  state: string;
  nonce: string;
  codeVerifier: string;
  expiresAt: number;
  invitation?: string;
}

interface Identity {
  issuer: string;
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
}

/** `no_account`: nobody invited this person, and sign-up is closed. */
export type OidcFailure = 'failed' | 'no_account' | 'email_unverified';
/** `letter`: the message about an identity that was linked to a user who existed before. */
export type OidcResult = { token: string; letter: Letter | null } | { failure: OidcFailure };

/**
 * Login by an OpenID provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0 section 3.1, RFC 9700).
 * A person is known by issuer and subject; the first time by an email address that the provider has verified.
 */
@Injectable()
export class OidcLogins {
  /** The time for a login at the provider. */
  readonly seconds = SECONDS;
  private provider: Promise<openid.Configuration> | undefined;

  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly sessions: Sessions,
    private readonly logins: Logins,
    private readonly invitations: Invitations,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  get isEnabled(): boolean {
    return this.config.settings.OIDC_ISSUER !== undefined;
  }

  get redirectUri(): string {
    return `${this.config.settings.PUBLIC_URL}/app/api/oidc/callback`;
  }

  /** The URL of the provider, and the state for the browser to keep; null if the provider cannot be reached. */
  async begin(invitation?: string): Promise<{ url: string; pending: string } | null> {
    const provider = await this.discovered();
    if (provider === null) return null;
    const pending: PendingLogin = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
      expiresAt: Date.now() + SECONDS * 1_000,
      ...(invitation === undefined ? {} : { invitation }),
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: this.redirectUri,
      scope: SCOPE,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, pending: this.secretBox.seal(JSON.stringify(pending), SEALED_FOR).toString('base64url') };
  }

  /**
   * @param query of the request that the provider redirected to
   * @param sealed the state that the browser kept
   */
  async complete(query: string, sealed: string, client: Client): Promise<OidcResult> {
    const pending = this.open(sealed);
    const provider = pending && (await this.discovered());
    if (!pending || !provider) return { failure: 'failed' };
    const identity = await this.identify(provider, query, pending);
    if (identity === null) return { failure: 'failed' };
    return this.database.transaction((tx) => this.logIn(tx, identity, { invitation: pending.invitation, client }));
  }

  private async logIn(
    tx: Queryable,
    identity: Identity,
    { invitation, client }: { invitation: string | undefined; client: Client },
  ): Promise<OidcResult> {
    const known = await this.known(tx, identity);
    const found = known === null ? await this.byEmail(tx, identity, invitation) : { user: known, isLinked: false };
    if ('failure' in found) return found;
    const { user, isLinked } = found;
    if (invitation !== undefined && (await this.invitations.isFor(tx, invitation, user.email)))
      await this.invitations.use(tx, invitation, user);
    const { issuer } = identity;
    const letter: Letter | null = isLinked
      ? { kind: 'identity_linked', to: user.email, issuer, ip: client.address }
      : null;
    return { token: await this.sessions.beginIn(tx, user.id, { client, method: 'oidc' }), letter };
  }

  private async known(tx: Queryable, { issuer, subject }: Identity): Promise<User | null> {
    const { rows } = await tx.query<{ user_id: string }>(
      'SELECT user_id FROM user_identities WHERE issuer = $1 AND subject = $2',
      [issuer, subject],
    );
    return rows.length === 0 ? null : this.users.find(rows[0].user_id, tx);
  }

  /** Links the identity to the user with its address, who is created if invited or if sign-up is open. */
  private async byEmail(
    tx: Queryable,
    { issuer, subject, email, isEmailVerified, name }: Identity,
    invitation: string | undefined,
  ): Promise<{ user: User; isLinked: boolean } | { failure: OidcFailure }> {
    if (email === undefined || !isEmailVerified) return { failure: 'email_unverified' };
    const existing = await this.users.findByEmail(email, tx);
    const isInvited = invitation !== undefined && (await this.invitations.isFor(tx, invitation, email));
    if (existing === null && !isInvited && !this.logins.isSignUpOpen) return { failure: 'no_account' };
    const user = existing ?? (await this.users.create(tx, { email, name, passwordHash: null }));
    if (user === null) return { failure: 'failed' };
    await tx.query('INSERT INTO user_identities (issuer, subject, user_id) VALUES ($1, $2, $3)', [
      issuer,
      subject,
      user.id,
    ]);
    if (existing === null && !isInvited) await this.logins.openAccount(tx, user);
    await this.users.record(tx, user.id, { action: 'user.identity_linked', details: { issuer } });
    return { user, isLinked: existing !== null };
  }

  private async identify(
    provider: openid.Configuration,
    query: string,
    pending: PendingLogin,
  ): Promise<Identity | null> {
    try {
      const tokens = await openid.authorizationCodeGrant(provider, new URL(`${this.redirectUri}?${query}`), {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
      });
      const claims = tokens.claims();
      if (claims === undefined) return null;
      const more =
        claims['email'] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined
          ? await openid.fetchUserInfo(provider, tokens.access_token, claims.sub)
          : claims;
      const { email, email_verified: verified, name } = more as Record<string, unknown>;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof email === 'string' ? email : undefined,
        isEmailVerified: verified === true,
        name: typeof name === 'string' ? name.slice(0, 100) : undefined,
      };
    } catch (error) {
      // The person refused, the link was opened twice, or the provider is set up in another way.
      this.log.warn('a login by the OpenID provider failed', { reason: (error as Error).message });
      return null;
    }
  }

  /** Null for a state that was altered or has expired. */
  private open(sealed: string): PendingLogin | null {
    try {
      const pending = JSON.parse(this.secretBox.open(Buffer.from(sealed, 'base64url'), SEALED_FOR)) as PendingLogin;
      return pending.expiresAt > Date.now() ? pending : null;
    } catch {
      return null;
    }
  }

  /** Null, and asked again next time, if the provider cannot be reached. */
  private async discovered(): Promise<openid.Configuration | null> {
    this.provider ??= this.discover();
    try {
      return await this.provider;
    } catch (error) {
      this.provider = undefined;
      this.log.warn('the OpenID provider cannot be reached', { reason: (error as Error).message });
      return null;
    }
  }

  private discover(): Promise<openid.Configuration> {
    const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '', OIDC_CLIENT_SECRET = '' } = this.config.settings;
    const issuer = new URL(OIDC_ISSUER);
    return openid.discovery(issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, authentication(OIDC_CLIENT_SECRET), {
      timeout: TIMEOUT_SECONDS,
      // Only on this machine, as the settings check.
      execute: issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [],
    });
  }
}

/** `client_secret_basic` is the default of OpenID Connect Discovery 1.0 section 3. */
function authentication(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
