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
export function requestOf(operation: ApiOperation, named: Record<string, string>, body?: object): Request {
  const { method, path } = operation;
  const of = (place: string): [string, string][] =>
    Object.entries(named).flatMap(([spot, value]) =>
      spot.startsWith(`${place}:`) ? [[spot.slice(place.length + 1), value]] : [],
    );
  const target = of('path').reduce((all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(of('query')).toString();
  const fields = of('body').map(([name, value]) => [name, isList(operation, name) ? [value] : value]);
  return {
    method,
    path: query === '' ? target : `${target}?${query}`,
    ...(fields.length > 0 ? { body: { ...body, ...Object.fromEntries(fields) } as object } : { body }),
  };
}

const isList = ({ body }: ApiOperation, field: string) => [propertiesOf(body)[field]?.type].flat().includes('array');

/** An answer without what differs between two requests for the same nothing. */
export function comparable({ status, text }: Answer, values: string[]): Answer {
  const still = withoutAll(text, values)
    .replaceAll(/\b(?!req_)[a-z]{2,3}_[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\breq_\w+/g, '<request>')
    .replaceAll(/(pl_live_|pl_test_|whsec_)[\w+/=]+/g, '<secret>');
  return { status, text: still };
}

export function withoutAll(text: string, values: string[]): string {
  return values.reduce((left, value) => left.replaceAll(value, '*'), text);
}
