import type { Remark } from './finding.js';
import type { Patient } from './patient.js';

/** One thing that is looked at. */
export interface Check {
  /** As `--only` takes it. */
  name: string;
  /** Heading of its findings. */
  title: string;
  /** The question that it answers, for the help. */
  asks: string;
  /** Its errors matter only where mail leaves this machine: with DELIVERY_MODE=capture they are warnings. */
  isOfDelivery?: true;
  /** @throws whatever; the runner makes a finding of it. What it waits for must end with `patient.signal`. */
  look: (patient: Patient) => Promise<Remark[]>;
}
