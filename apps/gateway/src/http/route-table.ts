/** The routes of this process, to tell an unknown path (404) from a known path with another method (405). */
export class RouteTable {
  private readonly routes: { method: string; segments: string[] }[] = [];

  add(route: { method: string | string[]; url: string }): void {
    for (const method of [route.method].flat()) this.routes.push({ method, segments: segmentsOf(route.url) });
  }

  /** The methods that some route has for this path, in the order of registration. */
  methodsFor(path: string): string[] {
    const segments = segmentsOf(path);
    const methods = this.routes.filter((route) => matches(route.segments, segments)).map((route) => route.method);
    return [...new Set(methods)];
  }
}

function segmentsOf(url: string): string[] {
  return url.split('?', 1)[0].split('/').slice(1);
}

function matches(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}
