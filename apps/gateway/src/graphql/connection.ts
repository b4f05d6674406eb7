import type { Type } from '@nestjs/common';
import { Args, ArgsType, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { LIMITS, type Page } from '#libs/contracts';
import type { PageQuery } from '../rest/list.dto.js';
import { invalidParameter, requireOnlyOne } from '../rest/validation/invalid-fields.js';
import { givenParameters, restQuery, type QueryParameters } from './dto/input-type.js';
import { named, type FieldType } from './dto/object-type.js';

/** The arguments of a list that is read in one direction. */
@ArgsType()
export class ForwardPageArgs {
  @Field(() => Int, {
    nullable: true,
    description: `Number of entries after the cursor, 1 to ${LIMITS.listMaximum}; ${LIMITS.listDefault} if absent`,
  })
  first?: number | null;

  @Field(() => ID, { nullable: true, description: 'The cursor of an entry: the page starts with the entry after it' })
  after?: string | null;
}

/** The arguments of a connection, with the cursors of REST. */
@ArgsType()
export class PageArgs extends ForwardPageArgs {
  @Field(() => Int, { nullable: true, description: 'Number of entries before the cursor `before`, instead of `first`' })
  last?: number | null;

  @Field(() => ID, { nullable: true, description: 'The cursor of an entry: the page ends with the entry before it' })
  before?: string | null;
}

@ObjectType('PageInfo', { description: 'The position of a page in its list.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are entries after this page' })
  hasNextPage: boolean;

  @Field(() => Boolean, {
    description: 'Whether there are entries before this page. With `after`: always true',
  })
  hasPreviousPage: boolean;

  @Field(() => ID, { nullable: true, description: 'The value of `before` for the page before this one' })
  startCursor: string | null;

  @Field(() => ID, { nullable: true, description: 'The value of `after` for the next page' })
  endCursor: string | null;
}

/** One page of a list, as Relay specifies it. */
export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  nodes: T[];
  pageInfo: PageInfo;
}

/** The connection type of a list of `node`s, `<name>Connection`, and its edge type. */
export function connectionType<T>(name: string, node: FieldType): Type<Connection<T>> {
  @ObjectType(`${name}Edge`, { description: `An entry of a list of type ${name}, with its cursor.` })
  class Edge {
    @Field(() => ID, { description: 'The cursor of this entry' })
    cursor: string;

    @Field(() => node, { description: 'The entry' })
    node: T;
  }
  named(Edge, `${name}Edge`);

  @ObjectType(`${name}Connection`, { description: `One page of a list of type ${name}.` })
  class PageOfList implements Connection<T> {
    @Field(() => [Edge], { description: 'The entries of this page with their cursors' })
    edges: Edge[];

    @Field(() => [node], { description: 'The entries of this page' })
    nodes: T[];

    @Field(() => PageInfo, { description: 'The position of this page in the list' })
    pageInfo: PageInfo;
  }
  named(PageOfList, `${name}Connection`);
  return PageOfList;
}

/** Query parameters of REST for the arguments of a connection. */
export type PageParameters = Pick<PageQuery, 'limit' | 'after' | 'before'>;

/**
 * `fromEnd` is the cursor of the end of the list, where `last` may be given alone.
 * @throws Refusal `validation_error` for arguments that exclude each other, `invalid_parameter` for a size out of range
 */
export function pageParameters(args: Partial<PageArgs>, { fromEnd }: { fromEnd?: string } = {}): PageParameters {
  const sizes = { first: args.first ?? undefined, last: args.last ?? undefined };
  requireOnlyOne(sizes);
  const before = args.before ?? (sizes.last === undefined ? undefined : fromEnd);
  if (sizes.last !== undefined && before === undefined)
    throw invalidParameter('last', 'must be given together with before', 'argument');
  const size = sizeOf(sizes);
  return givenParameters({ limit: size?.toString(), after: args.after, before });
}

/** @throws Refusal `invalid_parameter` */
function sizeOf(sizes: { first?: number; last?: number }): number | undefined {
  for (const [name, size] of Object.entries(sizes))
    if (size !== undefined && (size < 1 || size > LIMITS.listMaximum))
      throw invalidParameter(name, `must be a whole number from 1 to ${LIMITS.listMaximum}`, 'argument');
  return sizes.first ?? sizes.last;
}

/**
 * A page of REST as a connection. `next_cursor` leads on even where a selective filter has left the page short or empty.
 */
export function toConnection<T extends { id: string }>(page: Page<T>, args: Partial<PageArgs>): Connection<T> {
  const { data, has_more, next_cursor } = page;
  const isBackwards = typeof args.before === 'string' || typeof args.last === 'number';
  return {
    edges: data.map((node) => ({ cursor: node.id, node })),
    nodes: data,
    pageInfo: {
      hasNextPage: isBackwards ? typeof args.before === 'string' : has_more,
      hasPreviousPage: isBackwards ? has_more : typeof args.after === 'string',
      startCursor: (isBackwards ? next_cursor : null) ?? data.at(0)?.id ?? null,
      endCursor: (isBackwards ? null : next_cursor) ?? data.at(-1)?.id ?? null,
    },
  };
}

/** A page of a list, as Relay specifies it, with the arguments of `page` and `filter`. */
export interface ConnectionOptions {
  connection: Type;
  /** The input type for the parameters of the query, with the description of the argument. */
  filter?: { type: Type; about: string };
  /** Arguments of a class of its own, and the parameters of the query for them. */
  others?: { type: Type; toQuery: (args: never) => QueryParameters };
  /** The arguments of the page, by default those for both directions. */
  page?: Type<ForwardPageArgs>;
  /** The cursor of the end of the list, where `last` may be given alone. */
  fromEnd?: string;
}

/** An argument of a field, or several of a class. */
export interface Argument {
  name: string;
  type: Type;
  decorator: ParameterDecorator;
}

export function listArguments({ page = PageArgs, others, filter }: ConnectionOptions): Argument[] {
  const options = filter && { type: () => filter.type, description: filter.about, nullable: true };
  return [
    { name: 'page', type: page, decorator: Args() },
    ...(others ? [{ name: 'others', type: others.type, decorator: Args() }] : []),
    ...(options ? [{ name: 'filter', type: Object, decorator: Args('filter', options) }] : []),
  ];
}

export const listParameters = (list: ConnectionOptions, given: Readonly<Record<string, unknown>>): QueryParameters => ({
  ...list.others?.toQuery(given['others'] as never),
  ...(list.filter && restQuery(list.filter.type, given['filter'] as object)),
  ...pageParameters(given['page'] as PageArgs, list),
});
