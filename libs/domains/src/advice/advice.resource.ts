import { fields, type Shape, type ViewOf } from '#libs/contracts';

export const recordToPublish = {
  name: 'DnsRecordToPublish',
  about: 'A DNS record to publish or to change.',
  fields: {
    type: fields.text('`TXT` or `CNAME`', 'TXT'),
    name: fields.text('The name of the record', '_dmarc.mail.example.com'),
    value: fields.text('The value of the record', 'v=DMARC1; p=quarantine'),
  },
} as const satisfies Shape;

export const advice = {
  name: 'DomainAdvice',
  about: 'One thing to do about a sending domain.',
  fields: {
    code: fields.text('The kind of the advice; docs/domains.md lists all', 'dmarc_none'),
    severity: fields.choice(['critical', 'warning', 'info'], 'How urgent it is'),
    message: fields.text('The problem and its solution'),
    publish: fields.object(recordToPublish, 'The DNS record to publish; null: none').orNull(),
    /** The part of the dashboard. */
    page: fields.choice(['records', 'dkim', 'settings', 'statistics'], 'Where it is acted on; null: in DNS').orNull(),
  },
} as const satisfies Shape;
/** One thing to do about a domain. */
export interface DomainAdvice extends ViewOf<typeof advice> {}
