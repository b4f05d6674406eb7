/** In lower case, without parameters. */
export const mediaTypeOf = (contentType: string): string => contentType.split(';', 1)[0].trim().toLowerCase();

/** A parameter with its quoted parts, in which a semicolon is a character like any other (RFC 9110 section 5.6.4). */
const PARAMETER = /(?:"(?:[^"\\]|\\.)*"?|[^;"])+/g;
/** The names of ASCII in the registry of IANA, as `bareLabel` writes them. Text in ASCII is UTF-8 as well. */
const ASCII = new Set(
  'usascii ascii ansix341968 ansix341986 iso646us iso646irv1991 isoir6 us csascii cp367 ibm367'.split(' '),
);
/** Names of UTF-8 that clients write, besides those of the Encoding Standard. */
const UTF_8 = new Set(['', 'utf8', 'utf8mb4', 'utf8sig', 'csutf8', 'cp65001', 'unicode11utf8', 'unicode20utf8']);

/**
 * Whether a body may be read as UTF-8, the only encoding of JSON (RFC 8259 section 8.1) and the one required for CSV. JSON has
 * no parameter `charset` (section 11), but clients send it in many spellings.
 */
export function isInUtf8(contentType: string): boolean {
  const parameters = contentType.slice(contentType.split(';', 1)[0].length).match(PARAMETER) ?? [];
  return parameters.every((parameter) => {
    const [name, ...value] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'charset') return true;
    const label = bareLabel(value.join('='));
    return label !== null && (UTF_8.has(label) || ASCII.has(label));
  });
}

/** Letters and digits in lower case; null for a text that is no name. */
function bareLabel(value: string): string | null {
  const text = value
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .replaceAll('\\', '')
    .trim();
  return /^[\w .:-]*$/.test(text) ? text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase() : null;
}
