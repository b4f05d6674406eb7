import { Injectable } from '@nestjs/common';
import { AccountHistory, LogTail, type FollowedTail } from '#libs/bus';
import { seesEvent, type LoggedEvent, type Visibility } from '#libs/contracts';
import { Semaphore } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { addressForms } from '../../rest/events/address-forms.js';
import { invalidCursor } from '../../rest/list.dto.js';
import { LiveStream, SlowReader } from './live-stream.js';
import { whileUnavailable } from './while-unavailable.js';

/** Selects events of an account; all that the key sees if empty. */
export interface EventSelection {
  types?: readonly string[];
  domainId?: string;
  emailId?: string;
  /** A normalised address. */
  recipient?: string;
}

/** Events that wait for a slow reader, per subscription; more than the tail passes on at once. */
const MAX_WAITING = 5_000;
const MAX_COLLECTED = 2_500;
const PAGE = 100;
/** Pages that are read at once for all subscriptions of this process; the others wait in line. */
const CONCURRENT_READS = 4;

/** The events of the log for all subscriptions of this process. */
@Injectable()
export class EventFeed {
  private readonly streams = new Map<string, Set<EventStream>>();
  private readonly reads = new Semaphore(CONCURRENT_READS);
  private following: Promise<FollowedTail> | undefined;

  constructor(
    private readonly tail: LogTail,
    private readonly history: AccountHistory,
  ) {}

  /**
   * The events from now on, or those after the event `after`, which may be any event of the account.
   * @throws Refusal `validation_error` if `after` is not an event of this account
   */
  async open(visibility: Visibility, selection: EventSelection, after: string | undefined): Promise<EventStream> {
    const stream: EventStream = new EventStream(visibility, selection, {
      attach: () => this.attach(stream, visibility.accountId),
      detach: () => this.detach(stream, visibility.accountId),
      page: (cursor) => this.reads.run(() => whileUnavailable(() => this.page(visibility, selection, cursor))),
    });
    await stream.start(after);
    return stream;
  }

  private page(visibility: Visibility, { types, domainId, emailId, recipient }: EventSelection, after: string) {
    return this.history.page(
      visibility,
      { limit: PAGE, after },
      {
        ...(types === undefined ? {} : { types }),
        ...(domainId === undefined ? {} : { domainId }),
        ...(emailId === undefined ? {} : { key: emailId }),
        ...(recipient === undefined ? {} : { recipients: addressForms(recipient) }),
      },
    );
  }

  /** The stream receives every event of the account above the position that is returned. */
  private async attach(stream: EventStream, accountId: string): Promise<void> {
    const streams = this.streams.get(accountId) ?? new Set();
    this.streams.set(accountId, streams.add(stream));
    this.following ??= whileUnavailable(() => this.tail.follow((events) => this.publish(events)));
    try {
      await this.following;
    } catch (error) {
      this.following = undefined;
      this.detach(stream, accountId);
      throw error;
    }
  }

  private detach(stream: EventStream, accountId: string): void {
    const streams = this.streams.get(accountId);
    streams?.delete(stream);
    if (streams?.size === 0) this.streams.delete(accountId);
    if (this.streams.size > 0) return;
    void this.following?.then((tail) => tail.stop()).catch(() => undefined);
    this.following = undefined;
  }

  private publish(events: readonly LoggedEvent[]): void {
    for (const event of events)
      for (const stream of this.streams.get(event.event.account_id) ?? []) stream.offer(event);
  }
}

interface EventSource {
  attach(): Promise<void>;
  detach(): void;
  page(after: string): ReturnType<AccountHistory['page']>;
}

/**
 * Every selected event once, in the order of the log. First the history after a cursor, page by page as the client reads;
 * meanwhile new events are collected. If they become too many, the history is read again up to the new end.
 */
export class EventStream extends LiveStream<LoggedEvent> {
  private readonly types: ReadonlySet<string> | null;
  private waiting: LoggedEvent[] = [];
  /** New events during the reading of the history; null: too many, or none is being read. */
  private collected: LoggedEvent[] | null = null;
  private isLive = false;
  /** Position of the newest event in `waiting` or before it. */
  private position = 0;
  private problem: Error | undefined;
  private onDrained: (() => void) | undefined;

  constructor(
    private readonly visibility: Visibility,
    private readonly selection: EventSelection,
    private readonly source: EventSource,
  ) {
    super();
    this.types = selection.types === undefined ? null : new Set(selection.types);
  }

  /** Resolves when the cursor is known to be good, and new events are collected. */
  async start(after: string | undefined): Promise<void> {
    if (after === undefined) {
      this.isLive = true;
      return this.source.attach();
    }
    this.collected = [];
    await this.source.attach();
    try {
      const first = await this.source.page(after);
      if (first === null) throw invalidCursor('after', 'must be the id of an event of this account');
      void this.catchUp(first, after);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  offer(logged: LoggedEvent): void {
    if (!this.matches(logged)) return;
    if (this.isLive) this.push(logged);
    else if (this.collected && this.collected.length < MAX_COLLECTED) this.collected.push(logged);
    else this.collected = null;
  }

  take(): LoggedEvent | undefined {
    const event = this.waiting.shift();
    if (this.waiting.length === 0) this.onDrained?.();
    return event;
  }

  override failure(): Error | undefined {
    return this.problem;
  }

  override resumeHint(last: LoggedEvent | undefined): string {
    return last === undefined ? super.resumeHint(last) : `resume after ${last.event.id}`;
  }

  protected onClose(): void {
    this.source.detach();
    this.onDrained?.();
    this.waiting = [];
  }

  private matches(logged: LoggedEvent): boolean {
    const { event, key, domainId } = logged;
    const { emailId, domainId: wanted, recipient } = this.selection;
    return (
      seesEvent(this.visibility, logged) &&
      (this.types === null || this.types.has(event.type)) &&
      (emailId === undefined || emailId === key) &&
      (wanted === undefined || wanted === domainId) &&
      (recipient === undefined || isAbout(recipient, event.data))
    );
  }

  private push(logged: LoggedEvent): void {
    if (this.problem !== undefined || logged.position <= this.position) return;
    if (this.waiting.length >= MAX_WAITING) {
      this.waiting = [];
      this.problem = new SlowReader();
    } else {
      this.waiting.push(logged);
      this.position = logged.position;
    }
    this.ready();
  }

  private async catchUp(first: HistoryPage, after: string): Promise<void> {
    try {
      let cursor = await this.readPages(first, after);
      while (this.collected === null && !this.closed) {
        this.collected = [];
        const page = await this.source.page(cursor);
        if (page === null) throw new Error(`the event log no longer has the event ${cursor}`);
        cursor = await this.readPages(page, cursor);
      }
      this.isLive = true;
      for (const event of this.collected ?? []) this.push(event);
      this.collected = null;
    } catch (error) {
      this.problem = error as Error;
      this.ready();
    }
  }

  /** Passes on this page and those after it, to the end of the log; returns the last cursor. */
  private async readPages(first: HistoryPage, after: string): Promise<string> {
    let cursor = after;
    for (let page = first; ;) {
      for (const event of page.data) this.push(event);
      cursor = page.next_cursor ?? page.data.at(-1)?.event.id ?? cursor;
      if (!page.has_more || this.closed) return cursor;
      await this.drained();
      const next = await this.source.page(cursor);
      if (next === null) throw new Error(`the event log no longer has the event ${cursor}`);
      page = next;
    }
  }

  private async drained(): Promise<void> {
    if (this.waiting.length === 0 || this.closed) return;
    await new Promise<void>((resolve) => {
      this.onDrained = resolve;
    });
  }
}

function isAbout(recipient: string, data: object): boolean {
  const { recipient: address } = data as { recipient?: string };
  return address !== undefined && normaliseAddress(address) === recipient;
}

type HistoryPage = NonNullable<Awaited<ReturnType<AccountHistory['page']>>>;
