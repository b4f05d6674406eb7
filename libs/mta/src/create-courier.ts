import { CaptureCourier } from './capture-courier.js';
import type { Courier, CourierOptions } from './courier.js';

/** Builds the courier of the configured mode. Throws at start, with one sentence, when the mode lacks its setting. */
export function createCourier(options: CourierOptions): Courier {
  const log = options.log ?? (() => undefined);
  if (options.mode === 'capture') {
    if (options.capture === undefined) throw new Error('courier mode capture needs a place to keep the mail');
    return new CaptureCourier(options.capture, log);
  }
  throw new Error(`courier mode ${options.mode} is not built in yet`);
}
