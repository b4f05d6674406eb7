import { openCommandLine } from '../../support/services/command-line.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import { Chromium, type Profile } from '../../support/browser/chromium.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';

/** A service in front of local mail servers and a local DNS server, and a browser with its first owner. */
export class Stage {
  private constructor(
    readonly network: MailNetwork,
    readonly chromium: Chromium,
    readonly owner: Profile,
    /** Takes all mail to example.com. */
    readonly mx: ScriptedMx,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<Stage> {
    const [network, chromium] = await Promise.all([MailNetwork.start({ SIGNUP: 'on', ...env }), Chromium.launch()]);
    const mx = await network.mailServer('example.com');
    return new Stage(network, chromium, await chromium.profile(network.sender), mx);
  }

  get service() {
    return this.network.sender;
  }

  /** Another browser with nobody logged in. */
  stranger(): Promise<Profile> {
    return this.chromium.profile(this.service);
  }

  /** A login link of the first owner, made by the command line. */
  async loginLink(): Promise<string> {
    const commands = await openCommandLine(this.service.env);
    const { url } = (await commands.run(['login-link'])) as { url: string };
    await commands.close();
    return url;
  }

  async close(): Promise<void> {
    await this.chromium.close();
    await this.network.close();
  }
}
