import { Injectable } from '@nestjs/common';
import { Config, type TlsFiles } from '#libs/kernel';
import type { Client } from 'acme-client';
import { CertificateStore } from './certificate-store.js';

const REQUEST_MS = 30_000;
const CURVE = 'P-256';
const ERROR = 'urn:ietf:params:acme:error:';
/** The answers to `newAccount` with a key whose account was deactivated or revoked (RFC 8555 sections 7.3.6 and 6.7). */
const ACCOUNT_GONE = new Set([`${ERROR}unauthorized`, `${ERROR}accountDoesNotExist`]);
/** The client itself repeats the request. */
const BAD_NONCE = `${ERROR}badNonce`;

/** An error document of the authority (RFC 8555 section 6.7, RFC 9457). */
export class AuthorityProblem extends Error {
  constructor(
    readonly type: string,
    detail: string,
    /** The delay that the authority asks for; 0 if none. */
    readonly retryAfterMs: number,
  ) {
    super(detail);
  }
}

interface ResponseLike {
  status: number;
  data?: unknown;
  headers: { [name: string]: unknown };
}

type AcmeLibrary = typeof import('acme-client');

/** Orders certificates from the authority of ACME_DIRECTORY_URL with the challenge HTTP-01 (RFC 8555). */
@Injectable()
export class AcmeAuthority {
  private library: Promise<AcmeLibrary> | undefined;

  constructor(
    private readonly store: CertificateStore,
    private readonly config: Config,
  ) {}

  /** @throws AuthorityProblem, or another Error when the authority cannot be reached or refuses the challenge */
  async order(host: string): Promise<TlsFiles> {
    const { crypto } = await (this.library ??= loadLibrary());
    const client = await this.account();
    const [key, csr] = await crypto.createCsr({ altNames: [host] }, await crypto.createPrivateEcdsaKey(CURVE));
    const cert = await client.auto({
      csr,
      challengePriority: ['http-01'],
      // The authority looks at the host from outside, which this machine may not be able to.
      skipChallengeVerification: true,
      challengeCreateFn: (_authorization, { token }, response) => this.store.openChallenge(token, response),
      challengeRemoveFn: (_authorization, { token }) => this.store.closeChallenge(token),
    });
    return { cert, key: key.toString() };
  }

  /** The account of the stored key; a new one if the authority does not know or accept it any more. */
  private async account(): Promise<Client> {
    try {
      return await this.register();
    } catch (error) {
      if (!(error instanceof AuthorityProblem && ACCOUNT_GONE.has(error.type))) throw error;
      await this.store.forgetAccount(this.config.settings.ACME_DIRECTORY_URL);
      return this.register();
    }
  }

  /** `newAccount` finds the account of a key, or makes it (RFC 8555 section 7.3). */
  private async register(): Promise<Client> {
    const { crypto, Client } = await (this.library ??= loadLibrary());
    const { ACME_DIRECTORY_URL: directoryUrl, ACME_EMAIL, ACME_TERMS_AGREED } = this.config.settings;
    const makeKey = async () => (await crypto.createPrivateEcdsaKey(CURVE)).toString();
    const accountKey = await this.store.accountKey(directoryUrl, makeKey);
    const client = new Client({ directoryUrl, accountKey, backoffAttempts: 15, backoffMin: 1_000, backoffMax: 10_000 });
    // The client updates an account that exists, and an authority may refuse an update without `contact`.
    const contact = ACME_EMAIL === undefined ? [] : [`mailto:${ACME_EMAIL}`];
    await client.createAccount({ termsOfServiceAgreed: ACME_TERMS_AGREED, contact });
    return client;
  }
}

/** Loaded at the first order, because most programs never order. */
async function loadLibrary(): Promise<AcmeLibrary> {
  const library = await import('acme-client');
  const { axios } = library;
  axios.defaults.timeout = REQUEST_MS;
  // Those of the library repeat requests, although the renewal has a schedule of its own, hide why the authority cannot be
  // reached, and keep only the text of an error document.
  axios.interceptors.request.clear();
  axios.interceptors.response.clear();
  axios.interceptors.response.use((response) => {
    const problem = readProblem(response);
    if (problem !== null && problem.type !== BAD_NONCE) throw problem;
    return response;
  });
  return library;
}

/** Null for a response that is no error document. */
export function readProblem({ status, data, headers }: ResponseLike): AuthorityProblem | null {
  if (status < 400 || typeof data !== 'object' || data === null || !('type' in data)) return null;
  const { type, detail } = data as { type: unknown; detail?: unknown };
  const seconds = Number(headers['retry-after'] ?? 0);
  return new AuthorityProblem(
    String(type),
    typeof detail === 'string' ? detail.replace(/\s+/g, ' ') : String(type),
    Number.isFinite(seconds) ? seconds * 1_000 : 0,
  );
}
