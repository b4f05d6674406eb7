import {
  GraphQLError,
  Kind,
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** Limits of one GraphQL document, over HTTP and WebSocket. The others are settings. */
export interface QueryLimits {
  depth: number;
  aliases: number;
}
const MAX_DIRECTIVES = 50;

const refuse = (what: string, limit: number, node: ASTNode) =>
  new GraphQLError(`The query has too many ${what}: at most ${limit} are allowed.`, { nodes: [node] });

/**
 * Limits the nesting of fields. Introspection is exempt: graphql-js limits it itself, and the standard introspection query
 * is deeper than any query that this schema needs.
 */
const depthRule =
  (most: number): ValidationRule =>
  (context: ValidationContext) => ({
    Document(document: DocumentNode): void {
      const depths = new FieldDepths(context);
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        if (depths.of(definition.selectionSet) > most)
          context.reportError(refuse('levels of fields', most, definition));
      }
    },
  });

/** Measures each fragment once, however often it is spread. Cycles are refused by another rule. */
class FieldDepths {
  private readonly fragments = new Map<string, number>();

  constructor(private readonly context: ValidationContext) {}

  of(set: SelectionSetNode): number {
    let deepest = 0;
    for (const selection of set.selections) {
      let depth = 0;
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        depth = this.ofFragment(this.context.getFragment(selection.name.value));
      else if (selection.kind === Kind.INLINE_FRAGMENT) depth = this.of(selection.selectionSet);
      else if (!selection.name.value.startsWith('__'))
        depth = 1 + (selection.selectionSet ? this.of(selection.selectionSet) : 0);
      deepest = Math.max(deepest, depth);
    }
    return deepest;
  }

  private ofFragment(fragment: FragmentDefinitionNode | null | undefined): number {
    if (!fragment) return 0;
    const name = fragment.name.value;
    const known = this.fragments.get(name);
    if (known !== undefined) return known;
    this.fragments.set(name, 0);
    const depth = this.of(fragment.selectionSet);
    this.fragments.set(name, depth);
    return depth;
  }
}

/** Limits aliases, which let one request execute the same field many times. */
const aliasRule =
  (most: number): ValidationRule =>
  (context: ValidationContext) => {
    let aliases = 0;
    return {
      Field(node): void {
        if (node.alias && ++aliases === most + 1) context.reportError(refuse('aliases', most, node));
      },
    };
  };

/** Limits directives, because every unknown directive adds an error to the response. */
const directiveRule: ValidationRule = (context: ValidationContext) => {
  let directives = 0;
  return {
    Directive(node): void {
      if (++directives === MAX_DIRECTIVES + 1) context.reportError(refuse('directives', MAX_DIRECTIVES, node));
    },
  };
};

/** Refuses text that PostgreSQL cannot store: U+0000, and halves of surrogate pairs. */
const textRule: ValidationRule = (context: ValidationContext) => ({
  StringValue(node): void {
    if (!isStorable(node.value))
      context.reportError(
        new GraphQLError('Text must not contain U+0000 or half a surrogate pair.', { nodes: [node] }),
      );
  },
});

export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Cs}/u.test(text);

export const queryRules = ({ depth, aliases }: QueryLimits): ValidationRule[] => [
  depthRule(depth),
  aliasRule(aliases),
  directiveRule,
  textRule,
];
