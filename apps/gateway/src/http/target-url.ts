/**
 * The path under which a request is routed: duplicate slashes count as one, and `/v1/…` and the bare path are the same
 * routes for ever (D-2). The query is left as it came.
 */
export function routedUrl(target: string): string {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  const single = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  const bare = single === '/v1' || single.startsWith('/v1/') ? single.slice(3) || '/' : single;
  return end < 0 ? bare : bare + target.slice(end);
}
