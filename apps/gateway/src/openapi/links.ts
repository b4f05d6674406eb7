import type { OpenAPIObject } from '@nestjs/swagger';

type PathItem = OpenAPIObject['paths'][string];
type OperationObject = NonNullable<PathItem['get']>;
type ResponseObject = Extract<NonNullable<OperationObject['responses'][string]>, { description: string }>;

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** Operations that create a resource, the path of the resource, and the parameters of that path. */
const CREATED: [create: string, resource: string, parameters: Record<string, string>][] = [
  ['/api-keys', '/api-keys/{id}', { id: '$response.body#/id' }],
  ['/domains', '/domains/{id}', { id: '$response.body#/id' }],
  ['/emails', '/emails/{id}', { id: '$response.body#/id' }],
  ['/erasures', '/erasures/{id}', { id: '$response.body#/id' }],
  ['/suppressions', '/suppressions/{email}', { email: '$response.body#/id' }],
  ['/webhooks', '/webhooks/{id}', { id: '$response.body#/id' }],
  [
    '/webhooks/{id}/replay',
    '/webhooks/{id}/replays/{replayId}',
    { id: '$request.path.id', replayId: '$response.body#/id' },
  ],
  ['/webhooks/{id}/test', '/webhooks/{id}/events/{eventId}', { id: '$request.path.id', eventId: '$response.body#/id' }],
];

/** Adds links from the response of each creating operation to the operations on the resource it created. */
export function addLinks({ paths }: OpenAPIObject): void {
  for (const [create, resource, parameters] of CREATED) {
    const operation = paths[create]?.post;
    if (!operation) throw new Error(`links.ts: there is no POST ${create}`);
    const links = Object.fromEntries(
      targetsOf(paths, resource).map((operationId) => [operationId, { operationId, parameters }]),
    );
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) < 300) (response as ResponseObject).links = links;
  }
}

/** Ids of the operations on a resource and on its parts that need no further id. */
function targetsOf(paths: OpenAPIObject['paths'], resource: string): string[] {
  return Object.entries(paths)
    .filter(
      ([path]) => path === resource || (path.startsWith(`${resource}/`) && !path.slice(resource.length).includes('{')),
    )
    .flatMap(([, item]) => METHODS.flatMap((method) => item[method]?.operationId ?? []))
    .sort();
}
