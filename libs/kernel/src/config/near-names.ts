/** Differences that still count as a spelling mistake; a short name permits one. */
const MAX_DISTANCE = 2;
const SHORT_NAME = 8;
/** Names of another program that contains this one, or of its container. */
const PREFIX = /^POSTLOFT_/;

/**
 * Sentences about variables that are no settings but nearly have the name of one. They are warnings, because the environment
 * belongs to other programs too.
 */
export function nearNameWarnings(given: readonly string[], settings: readonly string[]): string[] {
  const known = new Set(settings);
  return given
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const meant = nearest(name, settings);
      return meant === undefined ? [] : [`${name} is not a setting and has no effect. Did you mean ${meant}?`];
    })
    .sort();
}

function nearest(name: string, settings: readonly string[]): string | undefined {
  // Lower-case variables such as `http_proxy` have a convention of their own.
  if (name !== name.toUpperCase()) return undefined;
  const plain = name.replace(PREFIX, '').replaceAll('-', '_');
  if (settings.includes(plain)) return plain;
  const most = plain.length <= SHORT_NAME ? 1 : MAX_DISTANCE;
  const near = settings
    .filter((setting) => Math.abs(setting.length - plain.length) <= most)
    .map((setting) => ({ setting, distance: distanceOf(plain, setting) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.setting;
}

/** Levenshtein distance, in rows of the usual table. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
