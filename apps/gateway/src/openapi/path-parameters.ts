import { idPattern } from './properties.js';

const UUID = '01978c0e5f7b7c3a9d21f0b64c1e88aa';
const idOf = (resource: string, prefix: string) => ({
  description: `The id of the ${resource}`,
  example: `${prefix}_${UUID}`,
  pattern: idPattern(prefix),
});

/** Path parameters by the segment before them, as in `/emails/{id}`. */
const TEXTS: Record<string, { description: string; example: string; pattern: string }> = {
  'emails/{id}': idOf('email', 'em'),
  'attachments/{attachmentId}': idOf('attachment', 'att'),
  'domains/{id}': idOf('domain', 'dom'),
  'webhooks/{id}': idOf('webhook', 'wh'),
  'erasures/{id}': idOf('erasure', 'ers'),
  'events/{id}': idOf('event', 'evt'),
  'events/{eventId}': idOf('event', 'evt'),
  'replays/{replayId}': idOf('replay', 'rpl'),
  'accounts/{id}': idOf('account', 'acc'),
  'api-keys/{id}': idOf('API key', 'key'),
  'logs/{id}': idOf('entry of the request log', 'log'),
  'captured/{id}': idOf('captured message', 'cap'),
  'suppressions/{email}': {
    description: 'The suppressed address in URL encoding, or the id of its entry',
    example: 'user@example.net',
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  },
};

const PARAMETERS = Object.fromEntries(
  Object.entries(TEXTS).map(([place, texts]) => [place, { ...texts, form: new RegExp(texts.pattern, 'u') }]),
);

/**
 * Description, schema and example of one path parameter.
 * @param operation method and path, such as `GET /emails/{id}`
 */
export function pathParameter(name: string, operation: string): object {
  const { pattern, description, example } = known(name, operation);
  return { description, example, schema: { type: 'string', pattern } };
}

/**
 * Whether a value has the form of the parameter. A malformed id must not reach the database, which cannot compare text that
 * contains NUL.
 * @param route as it is declared, such as `GET /emails/:id`
 */
export const isPathParameter = (name: string, route: string, value: unknown): boolean =>
  typeof value === 'string' && known(name, route.replaceAll(/:(\w+)/g, '{$1}')).form.test(value);

function known(name: string, operation: string): (typeof PARAMETERS)[string] {
  const segments = operation.split('/');
  const place = `${segments[segments.indexOf(`{${name}}`) - 1]}/{${name}}`;
  const found = Object.hasOwn(PARAMETERS, place) ? PARAMETERS[place] : undefined;
  if (found === undefined) throw new Error(`${operation}: path-parameters.ts has no description of ${place}`);
  return found;
}
