/** A gateway may encode what another one has encoded. */
const MAX_ROUNDS = 3;
/** The alphabet of base64url (RFC 4648 §5), part of which is punctuation. */
const TOKEN_CHARACTER = /[\w-]/;
/** White space, invisible characters, quotes and brackets. */
const TRAILING = /[\s\p{Z}\p{Cf}\p{Ps}\p{Pe}\p{Pi}\p{Pf}=>.,;:!"'*…]/u;
/** References of HTML to such characters, which programs leave that escape a text before they look for links in it. */
const REFERENCES = /(?:&(?:gt|quot|apos|nbsp|rpar|rsqb|#0*39|#x0*27);?){1,4}$/i;

/**
 * The text of a token in a path, as it was before mail clients and gateways changed it: percent-encoded letters are
 * decoded, and punctuation at the end is removed, which programs take for a part of a link in text. The result proves
 * nothing before its MAC has been compared.
 * @param written a segment of a path, not decoded
 */
export function readTokenText(written: string): string {
  let text = written;
  for (let round = 0; round < MAX_ROUNDS && text.includes('%'); round += 1) text = decoded(text);
  return withoutPunctuation(withoutPunctuation(text).replace(REFERENCES, ''));
}

function withoutPunctuation(text: string): string {
  const characters = [...text];
  let end = characters.length;
  while (end > 0 && !TOKEN_CHARACTER.test(characters[end - 1]) && TRAILING.test(characters[end - 1])) end -= 1;
  return characters.slice(0, end).join('');
}

/** Text that is not UTF-8 stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
