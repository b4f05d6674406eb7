import { hash, randomBytes } from 'node:crypto';
import { Refusal } from '#libs/contracts';

/** 256 bits. */
const TOKEN_BYTES = 32;

/** A secret for a cookie or a link, as base64url. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Stored instead of the token. A plain digest suffices, because a token cannot be guessed. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The refusal of a token that is unknown, expired or used. */
export const linkExpired = (): Refusal =>
  new Refusal(
    'validation_error',
    [{ field: 'token', code: 'link_expired', message: 'must be that of a link which is still valid' }],
    'This link has expired or was used already. Request a new one.',
  );
