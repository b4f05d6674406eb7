import type { Check } from '../check.js';
import { error, ok, skipped, type Remark } from '../finding.js';
import { localHost } from '../local-host.js';
import type { Patient } from '../patient.js';

/** What the running service says of itself. */
export const serviceCheck: Check = {
  name: 'service',
  title: 'Running service',
  asks: 'Does the service run with these settings, and is every part of it ready?',
  look: async (patient) => [await lookAt(patient)],
};

async function lookAt(patient: Patient): Promise<Remark> {
  const { HTTP_HOST, HTTP_PORT } = patient.config.settings;
  const subject = `${localHost(HTTP_HOST)}:${HTTP_PORT}`;
  const found = await patient.readiness();
  switch (found.kind) {
    case 'ready':
      return ok({ subject, message: 'The service runs, and every part of it is ready.' });
    case 'unready':
      return error({
        subject,
        message: `The service runs, but not every part can do its work: ${found.body}`,
        fix: 'The log of the service says why, under the name of that part.',
      });
    case 'silent':
      return error({
        subject,
        message: 'Something takes connections on HTTP_PORT and does not answer.',
        fix: 'If it is the service, restart it (its log says what it was busy with); else give HTTP_PORT another port.',
      });
    case 'stranger':
      return error({
        subject,
        message: `Something else answers on HTTP_PORT (status ${found.status}).`,
        fix: 'Stop that program, or give HTTP_PORT another port.',
      });
    case 'not_running':
      return skipped({ subject, message: `The service does not run here (${found.reason}).`, fix: 'npm start' });
  }
}
