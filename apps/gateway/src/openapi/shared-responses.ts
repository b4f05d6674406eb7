import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Responses = NonNullable<OpenAPIObject['components']>['responses'];

/** Moves error responses, which are the same for most operations, to the components and refers to them from there. */
export function sharedResponses(document: OpenAPIObject): void {
  const texts = new Map<string, string>();
  const shared: NonNullable<Responses> = {};
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item) as { responses?: NonNullable<Responses> }[]) {
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        if (Number(status) < 400) continue;
        const name = (STATUS_CODES[status] ?? status).replaceAll(/[^A-Za-z]/g, '');
        const text = JSON.stringify(response);
        if (!texts.has(name)) {
          texts.set(name, text);
          shared[name] = response;
        }
        if (texts.get(name) === text)
          (operation.responses as NonNullable<Responses>)[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  document.components = { ...document.components, responses: shared };
}
