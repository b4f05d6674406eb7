import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/**
 * Returns, when called, a signal that is aborted when the client closes its connection before the response is complete. Few
 * requests need one, and its creation costs a request 10 µs.
 */
export function clientSignal({ raw }: FastifyReply): () => AbortSignal {
  let signal: AbortSignal | undefined;
  return () => (signal ??= signalOf(raw));
}

function signalOf(response: FastifyReply['raw']): AbortSignal {
  const left = new AbortController();
  const end = () => {
    if (!response.writableFinished) left.abort();
  };
  if (response.closed) end();
  else response.once('close', end);
  return left.signal;
}

/** `clientSignal` of the request, as a parameter of a handler. */
export const ClientSignal = createParamDecorator((_data: unknown, context: ExecutionContext): (() => AbortSignal) =>
  clientSignal(context.switchToHttp().getResponse<FastifyReply>()),
);
