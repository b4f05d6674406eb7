import type { Viewer } from './viewer.ts';

const KEY = 'viewer';

/** The person of this tab, so that the frame of the pages outlives a reload while the session cannot be read. */
export function rememberViewer(viewer: Viewer | null): void {
  if (viewer === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(viewer));
}

export function rememberedViewer(): Viewer | null {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? null : (JSON.parse(stored) as Viewer);
}
