// A rule of the linter: at most three parameters, then one object. The linter's own `max-params` cannot leave out what
// is filled in by others: constructors and handlers (by Nest), and callbacks, given alone or as members of an object (by
// whoever calls them).

const INJECTED = new Set(['Decorator', 'TSParameterProperty']);

const limit = {
  meta: { type: 'suggestion', schema: [{ type: 'object' }] },
  create(context) {
    const { max } = context.options[0] ?? { max: 3 };
    const check = (node) => {
      const parameters = node.params.filter((parameter) => parameter.name !== 'this');
      if (parameters.length <= max || isFilledInByOthers(node)) return;
      context.report({
        node,
        message: `This function has ${parameters.length} parameters; more than ${max} become one object.`,
      });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

function isFilledInByOthers(node) {
  const { parent } = node;
  if (parent.type === 'MethodDefinition' && parent.kind === 'constructor') return true;
  if (parent.type === 'Property') return true;
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return parent.callee !== node;
  return node.params.some((parameter) => INJECTED.has(parameter.type) || (parameter.decorators ?? []).length > 0);
}

export default { meta: { name: 'house' }, rules: { 'max-parameters': limit } };
