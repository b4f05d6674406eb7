import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/** Moves the most frequent error response of each status to the components and refers to it from the operations. */
export function sharedResponses(document: OpenAPIObject): void {
  const errors = Object.values(document.paths)
    .flatMap((item) => Object.values(item) as { responses?: Responses }[])
    .flatMap(({ responses = {} }) => Object.keys(responses).map((status) => ({ responses, status })))
    .filter(({ status }) => Number(status) >= 400)
    .map((one) => ({ ...one, text: JSON.stringify(one.responses[one.status]) }));
  const shared: Responses = {};
  for (const { status, responses, text } of errors) {
    const name = (STATUS_CODES[status] ?? status).replaceAll(/[^A-Za-z]/g, '');
    const frequent = mostFrequent(errors.filter((one) => one.status === status).map((one) => one.text));
    if (text !== frequent) continue;
    shared[name] = responses[status];
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  document.components = { ...document.components, responses: shared };
}

/** The first one of those that occur equally often. */
function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as const)[0];
}
