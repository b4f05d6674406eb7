import { Injectable } from '@nestjs/common';
import { EmailLedger, firstLink, simulatedOutcome, type DeliveryJob, type Simulation } from '#libs/emails';
import { Config } from '#libs/kernel';
import { OutgoingMail } from './outgoing-mail.js';

type Recipient = DeliveryJob['recipients'][number];
type Simulations = Map<Recipient, Simulation>;

/** What only seems to go out. */
export interface SimulatedJob {
  job: DeliveryJob;
  simulations: Simulations;
}

/** A job, divided; `real` is the job itself when nothing of it is simulated. */
export interface DividedJob {
  real: DeliveryJob | null;
  simulated: SimulatedJob | null;
}

/**
 * Test mail, and mail to the simulator's addresses: composed, signed and kept in the captured inbox like any other, but
 * handed to no server in whatever mode. What happens to it is made up (D-66).
 */
@Injectable()
export class SimulatedDelivery {
  constructor(
    private readonly ledger: EmailLedger,
    private readonly outgoing: OutgoingMail,
    private readonly config: Config,
  ) {}

  divide(job: DeliveryJob): DividedJob {
    const { mail, recipients } = job;
    const simulations: Simulations = new Map();
    for (const recipient of recipients) {
      const simulation = simulatedOutcome({
        address: recipient.address,
        serviceDomain: this.config.settings.SERVICE_DOMAIN,
        test: mail.test,
        sandboxResult: mail.sandboxResult,
      });
      if (simulation) simulations.set(recipient, simulation);
    }
    if (simulations.size === 0) return { real: job, simulated: null };
    const real = recipients.filter((recipient) => !simulations.has(recipient));
    return {
      real: real.length === 0 ? null : { ...job, recipients: real },
      simulated: { job: { ...job, recipients: [...simulations.keys()] }, simulations },
    };
  }

  async deliver({ job, simulations }: SimulatedJob): Promise<void> {
    const startedAt = new Date();
    const due = new Map<number, Recipient[]>();
    for (const [recipient, { delayMs }] of simulations) {
      const at = job.mail.releasedAt.getTime() + delayMs;
      const when = at > startedAt.getTime() ? at : 0;
      due.set(when, [...(due.get(when) ?? []), recipient]);
    }
    for (const [at, recipients] of due) {
      const part = { ...job, recipients };
      // A slow one waits in the database: here it would keep a place from mail that is really on its way.
      if (at > 0) await this.ledger.postpone(part, new Date(at));
      else await this.happen(part, simulations, startedAt);
    }
  }

  private async happen(job: DeliveryJob, simulations: Simulations, startedAt: Date): Promise<void> {
    const keepable = job.recipients.filter((one) => isKept(one, simulations.get(one)));
    const kept = keepable.length === 0 ? [] : await this.outgoing.keep({ ...job, recipients: keepable });
    // What could not be composed or kept ends as a delivery would.
    const trouble = kept.filter(({ kind }) => kind !== 'delivered');
    if (trouble.length > 0) await this.ledger.settle(job, trouble);
    const troubled = new Set(trouble.map(({ key }) => key));
    const clickUrl = await this.clickUrl(job, simulations);
    const decided = job.recipients
      .filter(({ ordinal }) => !troubled.has(String(ordinal)))
      .flatMap((recipient) => {
        const simulation = simulations.get(recipient);
        return simulation ? [{ recipient, simulation, startedAt, clickUrl }] : [];
      });
    await this.ledger.settleSimulated(job, decided);
  }

  private async clickUrl(job: DeliveryJob, simulations: Simulations): Promise<string> {
    const isClicked = job.recipients.some((one) => simulations.get(one)?.result === 'clicked');
    const content = isClicked ? await this.ledger.content(job) : null;
    return (content && firstLink(content)) ?? this.config.settings.PUBLIC_URL;
  }
}

/** The inbox shows what would have gone out: nothing of a suppressed mail, and one copy however often it is tried. */
function isKept({ attempts }: Recipient, simulation?: Simulation): boolean {
  return simulation?.result !== 'suppressed' && (simulation?.result !== 'deferred' || attempts === 0);
}
