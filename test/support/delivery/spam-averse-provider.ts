import type { MxScript, ScriptedMx } from '../mail-servers/scripted-mx.js';

/**
 * A provider that refuses spam, and after some of it defers everything from the same source, which it knows by the EHLO name.
 * Spam is what goes to an address that begins with `trap`.
 */
export class SpamAverseProvider {
  /** By EHLO name. */
  readonly spam = new Map<string, number>();
  readonly deferred = new Map<string, number>();
  private mx: ScriptedMx | undefined;

  constructor(private readonly tolerated: number) {}

  get script(): MxScript {
    return {
      on: {
        mail: ({ session }) => {
          const source = this.sourceOf(session);
          if ((this.spam.get(source) ?? 0) < this.tolerated) return undefined;
          this.deferred.set(source, (this.deferred.get(source) ?? 0) + 1);
          return '421 4.7.0 Too much spam from your address, try again later';
        },
        rcpt: ({ line, session }) => {
          if (!line.includes('<trap')) return undefined;
          const source = this.sourceOf(session);
          this.spam.set(source, (this.spam.get(source) ?? 0) + 1);
          return '550 5.7.1 Message blocked because of spam content';
        },
      },
    };
  }

  watch(mx: ScriptedMx): void {
    this.mx = mx;
  }

  private sourceOf(session: number): string {
    const commands = this.mx?.sessions[session - 1]?.commands ?? [];
    return commands.find((line) => line.startsWith('EHLO '))?.slice(5) ?? '';
  }
}
