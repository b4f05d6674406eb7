/** Of our own making, so neither an address nor a secret: ids, and the same as clients of Resend write them. */
const ID = /^(?:[a-z]{2,3}_[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** What paths are made of. A key has digits or capitals, an address has more. */
const WORD = /^(?:v\d|[a-z][a-z-]{0,23})$/;
const SEGMENTS = 8;

interface RoutedRequest {
  is404: boolean;
  url: string;
  params: unknown;
  routeOptions: { url?: string | undefined };
}

/**
 * The path of a request without its query, ids kept. What else stands where a route has a parameter becomes its name,
 * `/suppressions/:email`; of an unknown path only plain words and ids are shown: `/users/:text`.
 */
export function loggedPath({ is404, url, params, routeOptions }: RoutedRequest): string {
  const pattern = routeOptions.url;
  if (is404 || pattern === undefined) return unknownPath(url);
  if (!pattern.includes(':')) return pattern;
  const values = params as Record<string, string | undefined>;
  return pattern.replace(/:(\w+)/g, (place, name: string) => {
    const value = values[name] ?? '';
    return ID.test(value) ? value : place;
  });
}

function unknownPath(url: string): string {
  const segments = url.split('?', 1)[0].split('/', SEGMENTS + 2);
  const shown = segments
    .slice(1, SEGMENTS + 1)
    .map((segment) => (segment === '' || WORD.test(segment) || ID.test(segment) ? segment : ':text'));
  return `/${shown.join('/')}${segments.length > SEGMENTS + 1 ? '/…' : ''}`;
}
