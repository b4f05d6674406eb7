import { reachableHost } from '../../addresses.js';
import { error, ok, skipped, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

/** The readiness of the running service. */
export const serviceCheck: Check = {
  name: 'service',
  title: 'Running service',
  run: async (context) => [await checkService(context)],
};

async function checkService(context: CheckContext): Promise<Result> {
  const { HTTP_HOST, HTTP_PORT } = context.config.settings;
  const subject = `${reachableHost(HTTP_HOST)}:${HTTP_PORT}`;
  const readiness = await context.readiness();
  switch (readiness.kind) {
    case 'ready':
      return ok({ subject, message: 'The service runs, and every part of it is ready.' });
    case 'not_ready':
      return error({
        subject,
        message: `The service runs, but not every part of it is ready: ${readiness.body}`,
        fix: 'The log of the service has the reason, under the name of that part.',
      });
    case 'no_response':
      return error({
        subject,
        message: 'Something accepts connections on HTTP_PORT but does not answer.',
        fix: 'If it is the service, restart it (its log says what it was doing); else give HTTP_PORT another port.',
      });
    case 'other_program':
      return error({
        subject,
        message: `Something else answers on HTTP_PORT (status ${readiness.status}).`,
        fix: 'Stop that program, or give HTTP_PORT another port.',
      });
    case 'not_running':
      return skipped({ subject, message: `The service does not run here (${readiness.reason}).`, fix: 'npm start' });
  }
}
