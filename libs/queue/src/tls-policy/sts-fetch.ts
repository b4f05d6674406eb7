import { type Config } from '#libs/kernel';
import type { StsFetchResult, StsOptions } from '#libs/mta';
import { type FetchFailure, SafeFetch } from '#libs/safe-fetch';

/** RFC 8461 §3.3 allows a minute; the first mail to a domain waits for this, and may be a login code. */
const FETCH_MS = 15_000;
/** RFC 8461 §3.3 */
const MOST_BYTES = 64 * 1024;
const HTTPS = 443;

/**
 * Fetches MTA-STS policy files by the rules of SafeFetch: never from private addresses (but where MX may be private too),
 * names asked where all names are asked, no redirects, a certificate for exactly this host (RFC 8461 §3.3).
 */
export function stsFetch(config: Config): StsOptions['fetch'] {
  const { ALLOW_PRIVATE_MX, MTA_STS_PORT } = config.settings;
  const fetcher = new SafeFetch(config.with({ ALLOW_PRIVATE_WEBHOOKS: ALLOW_PRIVATE_MX }));
  const port = MTA_STS_PORT === HTTPS ? '' : `:${MTA_STS_PORT}`;
  return async (host): Promise<StsFetchResult> => {
    const url = `https://${host}${port}/.well-known/mta-sts.txt`;
    const answer = await fetcher.get(url, { budget: { bytes: MOST_BYTES }, timeoutMs: FETCH_MS });
    if (answer.kind === 'failed') return lost(answer.failure);
    if (!/^text\/plain *(;|$)/i.test(answer.contentType)) return { kind: 'failed', reason: 'it is not text/plain' };
    return { kind: 'fetched', text: answer.body.toString('utf8') };
  };
}

function lost(failure: FetchFailure): StsFetchResult {
  const kind = failure === 'tls_failed' ? 'certificate' : 'failed';
  return { kind, reason: `the policy file could not be fetched: ${failure}` };
}
