import { SmtpReply } from './smtp-reply.js';

/** Open connections of each client address. The library reports the end of refused ones too. */
export class ConnectionCounts {
  private readonly open = new Map<string, number>();

  constructor(private readonly perAddress: number) {}

  /** The refusal of a connection too many, else null. */
  enter(address: string): SmtpReply | null {
    const open = (this.open.get(address) ?? 0) + 1;
    this.open.set(address, open);
    return open > this.perAddress ? new SmtpReply(421, '4.7.0 Too many connections from your address') : null;
  }

  leave(address: string): void {
    const open = (this.open.get(address) ?? 1) - 1;
    if (open > 0) this.open.set(address, open);
    else this.open.delete(address);
  }
}
