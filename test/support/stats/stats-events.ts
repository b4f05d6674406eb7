import { newId, type EmittedType, type EventData, type LoggedEvent } from '#libs/contracts';

/** Settings with which rows of fixed dates do not expire. */
export const KEEP_ALL = { STATS_RAW_DAYS: '3650', STATS_MINUTE_DAYS: '3650' };

interface EventFacts {
  type: EmittedType | 'email.opened' | 'email.clicked' | 'email.complained';
  at: Date;
  accountId?: string;
  domainId?: string;
  test?: boolean;
  data?: object;
}

/** Events as the log hands them out, at dense positions. */
export class StatsEvents {
  position = 0;
  readonly accountId = newId('acc');
  readonly domainId = newId('dom');

  make({ type, at, accountId, domainId, test, data }: EventFacts): LoggedEvent {
    const emailId = newId('em');
    this.position += 1;
    return {
      event: {
        id: newId('evt'),
        account_id: accountId ?? this.accountId,
        type,
        created_at: at.toISOString(),
        data: { email_id: emailId, recipient: `user${this.position}@example.com`, ...data } as EventData[EmittedType],
      },
      key: emailId,
      sequence: 1,
      domainId: domainId ?? this.domainId,
      apiKeyId: null,
      test: test ?? false,
      position: this.position,
    };
  }

  /** `count` deliveries, `stepMs` apart. */
  deliveries(count: number, from: Date, stepMs: number): LoggedEvent[] {
    return Array.from({ length: count }, (_, i) =>
      this.make({ type: 'email.delivered', at: new Date(from.getTime() + i * stepMs) }),
    );
  }
}
