import type { FastifyRequest } from 'fastify';
import { invalidParameter } from './invalid-fields.js';

/** C0 controls and DEL, and unpaired surrogates, which no id, address or token contains. */
const CONTROLS = /[\u0000-\u001f\u007f]|\p{Cs}/u;

/**
 * The rule for the parameters of all routes, applied before a handler sees them: PostgreSQL refuses U+0000 in any text, so
 * such a value would otherwise fail there. Query parameters may have other controls, such as line breaks in a GraphQL
 * document, unless their own rule refuses them.
 * @throws Refusal `invalid_parameter` that names the parameter
 */
export function requireValidParameters({ params, query, is404, routeOptions }: FastifyRequest): void {
  for (const [name, value] of entriesOf(is404 || routeOptions.config.tokenInPath ? undefined : params))
    if (CONTROLS.test(value)) throw invalidParameter(name, 'must not contain control characters', 'path parameter');
  for (const [name, value] of entriesOf(query)) {
    if (name.includes('\0')) throw invalidParameter(name.replaceAll('\0', ''), 'must have a name without U+0000');
    if (value.includes('\0')) throw invalidParameter(name, 'must not contain U+0000');
  }
}

/** Names and values; a parameter that is given more than once has an array. */
function* entriesOf(parameters: unknown): Generator<[name: string, value: string]> {
  for (const [name, values] of Object.entries((parameters ?? {}) as Record<string, string | string[]>))
    for (const value of [values].flat()) yield [name, value];
}
