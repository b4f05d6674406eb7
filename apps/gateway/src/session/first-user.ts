import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config, Log } from '#libs/kernel';
import { untilAvailable } from '#libs/persistence';
import { FirstOwner } from '#libs/users';

/** Creates the first user of the dashboard, once there is a first account. */
@Injectable()
export class FirstUser implements OnApplicationBootstrap {
  constructor(
    private readonly owner: FirstOwner,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await untilAvailable('first user', this.log, () => this.owner.ensure());
  }

  /** The URL that logs the first user in; null once that user can log in otherwise. */
  async loginUrl(): Promise<string | null> {
    const path = await this.owner.firstLoginLink();
    return path && `${this.config.settings.PUBLIC_URL}${path}`;
  }
}
