/** What is stored of a mail whose recipients unsubscribe at a link of ours. */
export interface HostedUnsubscribe {
  /** What follows `mailto:` of the second way to unsubscribe, which is the caller's own. */
  mailto?: string;
}
