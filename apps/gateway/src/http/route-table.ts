import type { FastifyRequest } from 'fastify';

/** The routes of this process, to tell an unknown path (404) from a known path with another method (405). */
export class RouteTable {
  private readonly routes: { method: string; segments: string[] }[] = [];

  add(route: { method: string | string[]; url: string }): void {
    for (const method of [route.method].flat()) this.routes.push({ method, segments: segmentsOf(route.url) });
  }

  /** The methods of the routes that match this path, in the order of registration. */
  methodsFor(path: string): string[] {
    const segments = segmentsOf(path);
    const methods = this.routes.filter((route) => matches(route.segments, segments)).map((route) => route.method);
    return [...new Set(methods)];
  }
}

function segmentsOf(url: string): string[] {
  return decodedPath(url).split('/').slice(1);
}

/** As the router reads it: without encoded letters, and ended by a query or a fragment. An encoded slash ends no segment. */
export function decodedPath(url: string): string {
  const [path] = url.split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * The path for rules that apply to some routes: that of the matched route, such as `/emails/:id`, where a wildcard is what it
 * stands for, or that of the request if there is no such route. A rule must not compare `request.url`, which has several
 * spellings for one route.
 */
export function pathOfRoute(request: Pick<FastifyRequest, 'is404' | 'url' | 'params' | 'routeOptions'>): string {
  const pattern = request.routeOptions.url;
  if (request.is404 || pattern === undefined) return decodedPath(request.url);
  if (!pattern.endsWith('*')) return pattern;
  return pattern.slice(0, -1) + ((request.params as Record<string, string | undefined>)['*'] ?? '');
}

function matches(pattern: string[], segments: string[]): boolean {
  // A wildcard stands for the rest of the path, at least one segment.
  const fixed = pattern.length - 1;
  if (pattern[fixed] === '*') return segments.length > fixed && matches(pattern.slice(0, -1), segments.slice(0, fixed));
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}

/**
 * The path under which a request is routed: duplicate slashes are collapsed, and the prefix `/v1` is removed because both
 * forms are the same routes. The query is not changed.
 */
export function routedUrl(target: string): string {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  const single = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  const bare = single === '/v1' || single.startsWith('/v1/') ? single.slice(3) || '/' : single;
  return end < 0 ? bare : bare + target.slice(end);
}
