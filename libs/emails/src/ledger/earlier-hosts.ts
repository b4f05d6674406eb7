import type { EarlierHost } from '#libs/mta';
import type { SmtpView } from '../recipient-row.js';

/** A host that an attempt stood at before it came to the one that decided. */
export interface EarlierHostView extends SmtpView {
  /** Where in the dialogue it broke off. */
  phase: string;
}

/** As `attempts.earlier` has them; undefined where the first host decided, so that nothing is written out. */
export const earlierHosts = (hosts: readonly EarlierHost[] | undefined): EarlierHostView[] | undefined =>
  hosts?.map(({ phase, reply, remote }) => ({
    phase,
    code: reply.code,
    enhanced: reply.enhanced,
    text: reply.text,
    mx: remote.mx,
    ip: remote.ip,
    tls: remote.tls,
  }));
