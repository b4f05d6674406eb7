import { fields, formats, resource, type RowOf, type Shape, type ViewOf } from '#libs/contracts';
import { suppressionShapes } from '#libs/suppressions';

const ADDRESS = 'user@example.net';

/** The stores of an erasure and how many of their rows contained the address. */
const COUNTED = [
  'messages',
  'recipients',
  'bodies',
  'captured_messages',
  'attempts',
  'suppressions',
  'audit_entries',
  'stored_answers',
  'events',
  'webhook_deliveries',
  'inbound_reports',
  'statistics_rows',
] as const;
export type Counted = (typeof COUNTED)[number];

/** A request to erase a recipient. */
const erasureRequest = {
  name: 'ErasureRequest',
  about: 'The recipient to erase.',
  fields: {
    email: fields
      .text('The address to erase', ADDRESS, { format: formats.ADDRESS_FORMAT })
      .given(suppressionShapes.suppression.ruleOf('email'), { required: true }),
  },
} as const satisfies Shape;

/** A place that the service cannot erase. */
const elsewhere = {
  name: 'Elsewhere',
  about: 'A place where an erased address may still be.',
  fields: {
    place: fields.choice(['kafka', 'webhook_endpoints', 'backups'], 'A place that the service cannot erase'),
    expires_at: fields.time('When the address is gone there; null: not known', null).orNull(),
    note: fields.text(
      'An explanation, or the action that is needed there',
      'Records of the topic expire by its retention.',
    ),
  },
} as const satisfies Shape;
export interface ElsewhereView extends ViewOf<typeof elsewhere> {}

/** The erased data, and the places that may still have the address. */
export const erasureReceipt = {
  name: 'ErasureReceipt',
  about: 'What an erasure has done.',
  fields: {
    erased_as: fields.text(
      'The text in place of the address',
      'erased-0f3a5d0c9b8e7a6f5e4d3c2b1a09f8e7@erased.invalid',
    ),
    requested_at: fields.time('When it was requested'),
    finished_at: fields.time('When the erasure was completed; null: it is not').orNull(),
    erased: fields.integers(
      'Rows that contained the address, by store. Rows that were written again while the erasure ran count again',
      COUNTED,
      (name) => `Number of rows: ${name.replaceAll('_', ' ').replace(/ rows$/, '')}`,
    ),
    waiting_messages: fields.integer(
      'Messages that still wait for delivery to other recipients; they are erased after that',
      0,
    ),
    elsewhere: fields.objects(elsewhere, 'Where the address may still be'),
  },
} as const satisfies Shape;
export interface ErasureReceipt extends ViewOf<typeof erasureReceipt> {}

export const erasure = resource({
  name: 'Erasure',
  about: 'The erasure of a recipient from all stores.',
  table: 'erasures',
  fields: {
    id: fields.id('ers').stored(),
    object: fields.kind('erasure'),
    status: fields.choice(['pending', 'running', 'completed'], 'Progress of the erasure', 'completed').stored(),
    receipt: fields.object(erasureReceipt, 'What has been erased, and where the address may still be'),
  },
  internal: {
    erased_as: fields.column<string>(),
    counts: fields.column<Partial<Record<Counted, number>>>('jsonb'),
    /** Messages that still wait for delivery to other recipients. */
    waiting: fields.column<number>('integer'),
    created_at: fields.column<Date>('timestamptz'),
    finished_at: fields.column<Date | null>('timestamptz'),
  },
});
export interface ErasureView extends ViewOf<typeof erasure> {}
export interface ErasureRow extends RowOf<typeof erasure> {}

export const erasureShapes = { elsewhere, erasure, erasureReceipt, erasureRequest };
