import type { CombinedError } from 'urql';
import { ApiError, type ApiDetail } from './http.ts';
import { isOfOtherVersion } from './upgrade.ts';

/** A refused value. */
export interface FieldProblem {
  /** The field of the request, in the names of GraphQL: `notifyAddresses`. */
  name: string;
  /** The refused element of a list; null for the whole field. */
  index: number | null;
  /** A whole sentence, or one that continues behind the label of the field. */
  message: string;
  isSentence: boolean;
}

/** Why a request or an operation failed. */
export interface Problem {
  /** A sentence without names of fields. */
  message: string;
  fields: FieldProblem[];
  requestId: string | null;
  /** True for a refusal, which has its reason in the request; the id of the request explains any other failure. */
  isRefusal: boolean;
}

interface Refused {
  status: number;
  message: string;
  details: readonly ApiDetail[];
  requestId: string | null;
  /** Seconds. */
  retryAfter: number | null;
}

const BAD_REQUEST = 400;
const FAILED = 500;
const NOT_REACHED = 'The server cannot be reached. Check the connection and try again.';
const INVALID = 'A value is invalid.';

export function problemOf(error: unknown): Problem {
  const refused = refusedOf(error);
  if (refused === null) return { message: unexpected(error), fields: [], requestId: null, isRefusal: false };
  const { details, requestId, status } = refused;
  const isRefusal = status >= BAD_REQUEST && status < FAILED;
  if (isOfOtherVersion(details))
    return { message: 'Postloft was updated. Reload the page.', fields: [], requestId, isRefusal };
  const fields = fieldsOf(refused);
  const message =
    status === BAD_REQUEST && fields.length > 0
      ? fields.map((field) => sentenceAt(field, wordsOf(field.name))).join(' ')
      : refused.message;
  return { message: withWait(message, refused.retryAfter), fields, requestId, isRefusal };
}

/** One sentence about a refused value, with the label of its field and, for a list, the refused element. */
export function sentenceAt({ index, message, isSentence }: FieldProblem, label: string, values?: unknown): string {
  if (isSentence) return message;
  const value: unknown = index !== null && Array.isArray(values) ? values[index] : undefined;
  const subject = typeof value === 'string' ? `“${value}”` : label;
  return `${subject} ${message.replace(/\.$/, '')}.`;
}

function refusedOf(error: unknown): Refused | null {
  if (error instanceof ApiError) return error;
  const [first] = (error as Partial<CombinedError>).graphQLErrors ?? [];
  if (!first) return null;
  const { statusCode = 0, details = [], requestId = null, retryAfter = null } = first.extensions as Extensions;
  return { status: statusCode, message: first.message, details, requestId, retryAfter };
}

interface Extensions {
  statusCode?: number;
  details?: ApiDetail[];
  requestId?: string | null;
  retryAfter?: number | null;
}

function unexpected(error: unknown): string {
  if ((error as Partial<CombinedError>).networkError) return NOT_REACHED;
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/**
 * A refusal because of the state of the service has a sentence of its own; a refused value only a rule, which names the
 * field as the API does.
 */
function fieldsOf({ status, message, details }: Refused): FieldProblem[] {
  const named = details.filter((detail) => detail.field);
  if (status !== BAD_REQUEST)
    return named.slice(0, 1).map(({ field }) => ({ ...placeOf(field), message, isSentence: true }));
  return named.map(({ field, message: rule = '' }) => ({ ...placeOf(field), ...ruleOf(rule) }));
}

/** The sentence about a value that does not fit the schema repeats the variable. */
function ruleOf(rule: string): Pick<FieldProblem, 'message' | 'isSentence'> {
  const isOfSchema = rule === '' || rule.startsWith('Variable "');
  return isOfSchema ? { message: INVALID, isSentence: true } : { message: rule, isSentence: false };
}

/** `allowed_ips[2]` is the third element of `allowedIps`. */
function placeOf(path = ''): Pick<FieldProblem, 'name' | 'index'> {
  const [, name, index] = /^(?:input\.)?(\w*)(?:\[(\d+)\])?/.exec(path) ?? [];
  const words = (name ?? '').split('_');
  return {
    name: words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join(''),
    index: index === undefined ? null : Number(index),
  };
}

/** For a field that no form shows: `emailId` is “Email ID”. */
export function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .replaceAll(/\b(id|ip|url|tls)(s?)\b/g, (_, word: string, plural: string) => word.toUpperCase() + plural);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function withWait(message: string, seconds: number | null): string {
  if (seconds === null) return message;
  return `${message.replace(/ Try again(?: later)?\.$/, '')} Try again in ${waitOf(seconds)}.`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function waitOf(seconds: number): string {
  if (seconds <= 2 * MINUTE_S) return counted(Math.max(Math.ceil(seconds), 1), 'second');
  if (seconds <= 2 * HOUR_S) return counted(Math.ceil(seconds / MINUTE_S), 'minute');
  return counted(Math.ceil(seconds / HOUR_S), 'hour');
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;
