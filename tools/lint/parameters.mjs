// A lint rule: a function has at most three parameters; more become one object. Unlike `max-params`, it exempts
// functions whose parameters are determined by their caller: constructors and handlers (called by Nest) and callbacks,
// passed alone or as members of an object.

const INJECTED = new Set(['Decorator', 'TSParameterProperty']);

const limit = {
  meta: { type: 'suggestion', schema: [{ type: 'object' }] },
  create(context) {
    const { max } = context.options[0] ?? { max: 3 };
    const check = (node) => {
      const parameters = node.params.filter((parameter) => parameter.name !== 'this');
      if (parameters.length <= max || isCalledByOthers(node)) return;
      context.report({
        node,
        message: `This function has ${parameters.length} parameters; more than ${max} become one object.`,
      });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

function isCalledByOthers(node) {
  const { parent } = node;
  if (parent.type === 'MethodDefinition' && parent.kind === 'constructor') return true;
  if (parent.type === 'Property') return true;
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return parent.callee !== node;
  return node.params.some((parameter) => INJECTED.has(parameter.type) || (parameter.decorators ?? []).length > 0);
}

export default { meta: { name: 'house' }, rules: { 'max-parameters': limit } };
