/** The resources, in the order in which the documentation lists them. */
export const TAGS = {
  Emails: 'Send mail, alone or in batches, and see what became of it. Mail that waits can be rescheduled or canceled.',
  Domains: 'Sending domains: the DNS records to publish, their state, and the settings of each domain.',
  Suppressions:
    'Addresses that get no mail: after a hard bounce, a complaint, an unsubscription, or because you say so.',
  Webhooks: 'Where events are sent, how they are signed, what was sent, and how to send it again.',
  Events: 'Everything that happened, in order, to be read at your own pace.',
  Statistics: 'Counts and rates over time, at most five seconds behind.',
  'API keys': 'Keys with scopes, and with limits to domains, addresses and time.',
  Usage: 'The monthly allowance: what is used and what is left.',
  'Request log': 'The requests that this account made, and what they were answered.',
  'Captured mail': 'The built-in inbox of capture mode and of test keys: every mail as it would have gone out.',
  Service: 'For programs that watch this service or read its description. No key is needed.',
} as const;
export type Tag = keyof typeof TAGS;
