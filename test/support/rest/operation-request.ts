import { propertiesOf, type ApiOperation } from './api-operations.js';

export interface Request {
  method: string;
  path: string;
  body?: unknown;
}
export interface Answer {
  status: number;
  text: string;
}

/**
 * The request of an operation that names these things.
 * @param named by place: `path:id`, `query:after`, `body:domain_ids`; every path parameter is among them
 */
export function requestOf(operation: ApiOperation, named: Record<string, string>, body?: object | string): Request {
  const { method, path } = operation;
  const of = (place: string): [string, string][] =>
    Object.entries(named).flatMap(([spot, value]) =>
      spot.startsWith(`${place}:`) ? [[spot.slice(place.length + 1), value]] : [],
    );
  const target = of('path').reduce((all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(of('query')).toString();
  const fields = of('body');
  return {
    method,
    path: query === '' ? target : `${target}?${query}`,
    body: fields.length === 0 ? body : fields.reduce((all, field) => withField(operation, all, field), body as object),
  };
}

/** `entries.email` is a field of the first of the entries. */
function withField({ body: schema }: ApiOperation, body: object, [field, value]: [string, string]): object {
  const [list, inner] = field.split('.');
  if (inner !== undefined) {
    const [first] = (body as Record<string, object[]>)[list];
    return { ...body, [list]: [{ ...first, [inner]: value }] };
  }
  const isList = schema === null ? field.endsWith('s') : [propertiesOf(schema)[field]?.type].flat().includes('array');
  return { ...body, [field]: isList ? [value] : value };
}

/** An answer without what differs between two requests for the same nothing. */
export function comparable({ status, text }: Answer, values: string[]): Answer {
  const still = withoutAll(text, values)
    .replaceAll(/\b(?!req_)[a-z]{2,3}_[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\breq_\w+/g, '<request>')
    .replaceAll(/(pl_live_|pl_test_|whsec_)[\w+/=]+/g, '<secret>');
  return { status, text: still };
}

export function withoutAll(text: string, values: string[]): string {
  return values.reduce((left, value) => left.replaceAll(value, '*'), text);
}
