import os from 'node:os';
import ipaddr from 'ipaddr.js';

/** Interfaces change rarely, and reading them costs more than a message. */
const INTERFACES_MS = 60_000;

/** The addresses of our own listeners. One on 0.0.0.0 or :: stands for every address of this machine. */
export class OwnAddresses {
  private readonly listed: Set<string>;
  private readonly everywhere: boolean;
  private local = new Set<string>();
  private localUntil = 0;

  constructor(listeners: { address: string }[]) {
    this.listed = new Set(listeners.map(({ address }) => canonical(address)));
    this.everywhere = this.listed.has('0.0.0.0') || this.listed.has('::');
  }

  has(address: string): boolean {
    if (this.listed.size === 0) return false;
    const plain = canonical(address);
    if (this.listed.has(plain)) return true;
    return this.everywhere && (isLoopback(plain) || this.interfaces().has(plain));
  }

  private interfaces(): Set<string> {
    if (performance.now() >= this.localUntil) {
      const entries = Object.values(os.networkInterfaces()).flatMap((some) => some ?? []);
      this.local = new Set(entries.map((entry) => canonical(entry.address)));
      this.localUntil = performance.now() + INTERFACES_MS;
    }
    return this.local;
  }
}

/** `::ffff:10.0.0.1` and `10.0.0.1` are the same address. */
function canonical(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ['loopback', 'unspecified'].includes(ipaddr.parse(address).range());
}
