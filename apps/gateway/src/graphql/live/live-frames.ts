import {
  execute,
  getOperationAST,
  Kind,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';

/** The serialised results of one selection, made once per value for all subscriptions that share it. */
export class LiveFrames {
  private readonly results = new WeakMap<object, Buffer | Promise<Buffer>>();

  constructor(
    private readonly args: ExecutionArgs,
    private readonly format: (result: ExecutionResult) => unknown,
  ) {}

  /** The JSON of the result for this value of the source. */
  of(value: object): Buffer | Promise<Buffer> {
    const known = this.results.get(value);
    if (known !== undefined) return known;
    const result = execute({ ...this.args, rootValue: value });
    const made = result instanceof Promise ? result.then((settled) => this.settled(value, settled)) : this.json(result);
    this.results.set(value, made);
    return made;
  }

  private settled(value: object, result: ExecutionResult): Buffer {
    const json = this.json(result);
    this.results.set(value, json);
    return json;
  }

  private json(result: ExecutionResult): Buffer {
    return Buffer.from(JSON.stringify(this.format(result)));
  }
}

/** The frames of all subscriptions of this process with the same selection, variables and permissions. */
export class SharedFrames {
  private readonly entries = new Map<string, { frames: LiveFrames; users: number }>();

  constructor(private readonly format: (result: ExecutionResult) => unknown) {}

  /**
   * @param document identifies the document and the operation
   * @param reach identifies what the caller may see
   */
  acquire(args: ExecutionArgs, { document, reach }: { document: string; reach: string }): SharedFramesLease {
    const key = JSON.stringify([document, args.operationName, reach, resultVariables(args)]);
    const entry = this.entries.get(key) ?? { frames: new LiveFrames(args, this.format), users: 0 };
    entry.users += 1;
    this.entries.set(key, entry);
    return {
      frames: entry.frames,
      release: () => {
        entry.users -= 1;
        if (entry.users === 0 && this.entries.get(key) === entry) this.entries.delete(key);
      },
    };
  }
}

export interface SharedFramesLease {
  frames: LiveFrames;
  release(): void;
}

/**
 * The variables on which the result for a value depends. Those that occur only in the arguments of the subscribed field
 * select the values and do not change them.
 */
function resultVariables({ document, operationName, variableValues }: ExecutionArgs): Record<string, unknown> {
  if (!variableValues) return {};
  const names = namesOutsideRoot(document, operationName ?? undefined);
  return Object.fromEntries(Object.entries(variableValues).filter(([name]) => names.has(name)));
}

function namesOutsideRoot(document: DocumentNode, operationName: string | undefined): ReadonlySet<string> {
  const [root] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  const ofRoot = new Set<ArgumentNode>(root?.kind === Kind.FIELD ? root.arguments : []);
  const names = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Argument: (node) => (ofRoot.has(node) ? false : undefined),
    Variable: ({ name }) => {
      names.add(name.value);
    },
  });
  return names;
}
