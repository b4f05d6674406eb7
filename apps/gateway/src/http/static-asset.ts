import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

export interface StaticAsset {
  type: string;
  plain: Buffer;
  gzip: Buffer;
  /** Null if it has not been compressed in advance: the best compression takes a second for a script. */
  brotli: Buffer | null;
}

const compress = promisify(gzip);
/** For files whose name changes with their content. */
const FOREVER = 'public, max-age=31536000, immutable';

export async function staticAsset(type: string, plain: Buffer): Promise<StaticAsset> {
  return { type, plain, gzip: await compress(plain, { level: 9 }), brotli: null };
}

/** Sends an asset whose name contains a hash of its content, compressed as the client accepts. */
export async function sendAsset(
  reply: FastifyReply,
  asset: StaticAsset,
  { cacheControl = FOREVER, vary = 'accept-encoding' } = {},
): Promise<void> {
  void reply.type(asset.type).headers({ 'cache-control': cacheControl, vary });
  const accepted = acceptedCodings(reply.request.headers['accept-encoding']);
  if (asset.brotli !== null && accepted.has('br')) await reply.header('content-encoding', 'br').send(asset.brotli);
  else if (accepted.has('gzip')) await reply.header('content-encoding', 'gzip').send(asset.gzip);
  else await reply.send(asset.plain);
}

/** Codings of the header with a weight above zero (RFC 9110 section 12.5.3). */
function acceptedCodings(header: string | string[] | undefined): ReadonlySet<string> {
  const codings = String(header ?? '')
    .toLowerCase()
    .split(',');
  return new Set(
    codings
      .map((coding) => coding.trim())
      .filter((coding) => !/;\s*q=0(?:\.0{1,3})?$/.test(coding))
      .map((coding) => coding.split(';', 1)[0].trim()),
  );
}
