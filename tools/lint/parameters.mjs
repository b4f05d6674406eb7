// Lint rules about the number of parameters. A function has at most three; more become one object. Unlike `max-params`, the
// rule exempts functions whose parameters are determined by their caller: constructors and handlers (called by Nest) and
// callbacks, passed alone or as members of an object. A constructor has at most eight; more are grouped by subject.

const INJECTED = new Set(['Decorator', 'TSParameterProperty']);

const ofFunctions = {
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

const ofConstructors = {
  meta: { type: 'suggestion', schema: [{ type: 'object' }] },
  create(context) {
    const { max } = context.options[0] ?? { max: 8 };
    const check = (node) => {
      if (!isConstructor(node)) return;
      const count = node.params.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
      if (count <= max) return;
      context.report({
        node,
        message: `This constructor has ${count} parameters; with more than ${max}, the class has more than one subject.`,
      });
    };
    return { FunctionExpression: check };
  },
};

const isConstructor = ({ parent }) => parent.type === 'MethodDefinition' && parent.kind === 'constructor';

/** A rest parameter that is destructured is as many parameters as it has elements. */
const sizeOf = ({ type, argument }) =>
  type === 'RestElement' && argument.type === 'ArrayPattern' ? argument.elements.length : 1;

function isCalledByOthers(node) {
  if (isConstructor(node)) return true;
  const { parent } = node;
  if (parent.type === 'Property') return true;
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return parent.callee !== node;
  return node.params.some((parameter) => INJECTED.has(parameter.type) || (parameter.decorators ?? []).length > 0);
}

export default {
  meta: { name: 'house' },
  rules: { 'max-parameters': ofFunctions, 'max-constructor-parameters': ofConstructors },
};
