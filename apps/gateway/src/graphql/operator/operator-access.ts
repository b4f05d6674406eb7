import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { ChangedBy } from '#libs/accounts';
import type { GraphqlContext } from '../graphql-caller.js';

/**
 * The person who operates the service, as the parameter of a resolver method. Every field of Query and Mutation that shows or
 * changes the whole service has it.
 * @throws Refusal missing_api_key; restricted_api_key for an API key; session_refused for everybody else
 */
export const OperatorOf = createParamDecorator((_data: unknown, context: ExecutionContext): NonNullable<ChangedBy> => {
  const { caller } = GqlExecutionContext.create(context).getContext<GraphqlContext>();
  const { accountId, session, ip } = caller.allowedAs('operator');
  return { accountId, userId: session.userId, ...(ip === undefined ? {} : { ip }) };
});
