import { LIMITS } from '#libs/contracts';
import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

/** Entries of lists without a size of their own. Nested lists are mostly shorter. */
const LIST_SIZE = 5;
const SIZES: Readonly<Record<string, number>> = {
  'Query.apiKeys': 100,
  'Query.domains': 100,
  'Query.queues': 100,
  'Query.webhooks': LIMITS.webhooksPerAccount,
};

interface Request {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName: string | null | undefined;
  variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** Where a selection is evaluated: its type, and the length of the lists in it if it is a page of a connection. */
interface Place {
  type: GraphQLNamedType;
  pageSize: number | null;
}

/**
 * The largest number of objects in the response to a validated document, by the sizes of its lists. Introspection is not
 * counted.
 */
export function queryCost({ schema, document, operationName, variables }: Request): number {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return 0;
  return new Costs(schema, document, variables ?? {}).of(operation.selectionSet, { type: root, pageSize: null });
}

/** Measures each fragment once per place, however often it is spread. */
class Costs {
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly known = new Map<string, number>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
  }

  of(set: SelectionSetNode, place: Place): number {
    let cost = 0;
    for (const selection of set.selections)
      if (selection.kind === Kind.FIELD) cost += this.ofField(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT) cost += this.of(selection.selectionSet, place);
      else cost += this.ofFragment(selection.name.value, place);
    return cost;
  }

  private ofFragment(name: string, place: Place): number {
    const key = `${name} ${place.type.name} ${place.pageSize}`;
    let cost = this.known.get(key);
    if (cost === undefined) {
      const fragment = this.fragments.get(name);
      cost = fragment ? this.of(fragment.selectionSet, place) : 0;
      this.known.set(key, cost);
    }
    return cost;
  }

  private ofField(node: FieldNode, { type, pageSize }: Place): number {
    const name = node.name.value;
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (field === undefined || node.selectionSet === undefined || name.startsWith('__')) return 0;
    const named = getNamedType(field.type);
    if (!isCompositeType(named)) return 0;
    const isList = isListType(getNullableType(field.type));
    const size = isList ? (pageSize ?? SIZES[`${type.name}.${name}`] ?? LIST_SIZE) : 1;
    return size * (1 + this.of(node.selectionSet, { type: named, pageSize: this.pageSizeOf(field, node) }));
  }

  /** The number of entries that the arguments ask for; null for a field that is no connection. */
  private pageSizeOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | null {
    if (!field.args.some(({ name }) => name === 'first')) return null;
    const sizes = (node.arguments ?? [])
      .filter(({ name }) => name.value === 'first' || name.value === 'last')
      .map(({ value }) => valueFromASTUntyped(value, this.variables))
      .filter((size) => typeof size === 'number');
    return Math.min(LIMITS.listMaximum, Math.max(1, sizes.at(0) ?? LIMITS.listDefault));
  }
}
