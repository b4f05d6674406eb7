import { Refusal } from '#libs/contracts';

/** The key of an `Authorization: Bearer <API_KEY>` header (RFC 6750 §2.1). @throws Refusal `missing_api_key`. */
export function bearerToken(authorization: unknown): string {
  if (typeof authorization !== 'string' || authorization.slice(0, 7).toLowerCase() !== 'bearer ')
    throw new Refusal('missing_api_key');
  const token = authorization.slice(7).trim();
  if (token === '') throw new Refusal('missing_api_key');
  return token;
}
