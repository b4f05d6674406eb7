import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

export interface StaticAsset {
  type: string;
  plain: Buffer;
  zipped: Buffer;
}

const compress = promisify(gzip);
/** For files whose name changes with their content. */
const FOREVER = 'public, max-age=31536000, immutable';

export async function staticAsset(type: string, plain: Buffer): Promise<StaticAsset> {
  return { type, plain, zipped: await compress(plain, { level: 9 }) };
}

/** Sends an asset whose name contains a hash of its content, compressed if the client accepts gzip. */
export async function sendAsset(
  reply: FastifyReply,
  asset: StaticAsset,
  { cacheControl = FOREVER, vary = 'accept-encoding' } = {},
): Promise<void> {
  const zipped = /\bgzip\b/.test(String(reply.request.headers['accept-encoding'] ?? ''));
  void reply.type(asset.type).headers({ 'cache-control': cacheControl, vary });
  if (zipped) void reply.header('content-encoding', 'gzip');
  await reply.send(zipped ? asset.zipped : asset.plain);
}
