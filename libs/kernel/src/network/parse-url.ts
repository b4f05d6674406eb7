// Each error of `new URL` quotes the text, so that many long texts that are no URLs would cost much.
// oxlint-disable eslint/no-restricted-properties

const ASCII = /^[\0-\x7f]*$/;

/**
 * Parses a URL as the WHATWG standard says; null if it is none. Use it instead of `URL.canParse`, which in Node.js 20 and 22 says no
 * to every URL with characters from U+0080 to U+00FF once V8 has optimised its caller.
 */
export function parseUrl(text: string, base?: string): URL | null {
  if (ASCII.test(text) && (base === undefined || ASCII.test(base)) && !URL.canParse(text, base)) return null;
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
