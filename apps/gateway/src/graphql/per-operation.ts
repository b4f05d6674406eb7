import type { Principal } from '#libs/accounts';
import DataLoader from 'dataloader';
import type { GraphqlContext } from './graphql-caller.js';

/** The loaders of one subject, one set per operation. */
export abstract class PerOperation<T> {
  private readonly byContext = new WeakMap<GraphqlContext, T>();

  of(context: GraphqlContext, caller: Principal): T {
    let loaders = this.byContext.get(context);
    if (loaders === undefined) this.byContext.set(context, (loaders = this.make(caller)));
    return loaders;
  }

  protected abstract make(caller: Principal): T;
}

/**
 * Loads what the fields of one turn ask for with one call. Nothing is cached: an operation over a WebSocket may last for
 * days.
 */
export function loader<V>(
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): DataLoader<string, V | null> {
  return new DataLoader(
    async (ids) => {
      const found = await load([...new Set(ids)]);
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false },
  );
}

/** A page of the entries of one thing. */
export interface PageOf<P> {
  id: string;
  page: P;
}

/** As `loader`, with one call per distinct page. */
export function pageLoader<P extends object, V>(
  load: (ids: readonly string[], page: P) => Promise<ReadonlyMap<string, V>>,
  missing: V,
): DataLoader<PageOf<P>, V> {
  return new DataLoader(
    async (keys) => {
      const groups = new Map<string, { page: P; ids: Set<string> }>();
      for (const { id, page } of keys) {
        const name = JSON.stringify(page);
        const group = groups.get(name) ?? { page, ids: new Set<string>() };
        groups.set(name, group);
        group.ids.add(id);
      }
      const found = new Map<string, ReadonlyMap<string, V>>();
      for (const [name, { page, ids }] of groups) found.set(name, await load([...ids], page));
      return keys.map(({ id, page }) => found.get(JSON.stringify(page))?.get(id) ?? missing);
    },
    { cache: false },
  );
}
