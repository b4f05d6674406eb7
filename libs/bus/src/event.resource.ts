import { EVENT_TYPES, fields, formats, type Shape } from '#libs/contracts';

/** An event as webhooks receive it, with its id. The log stores batches of events, which are no rows of a resource. */
export const loggedEvent = {
  name: 'Event',
  about: 'An event of the account, as webhooks receive it.',
  fields: {
    id: fields.id('evt', 'The same as in the header `webhook-id` of a webhook'),
    type: fields.choice(EVENT_TYPES, 'The type of the event'),
    created_at: fields.time('When it happened'),
    data: fields.map<object>(
      'The data of the event; its fields depend on the type. Events of test emails have `mode: "test"`',
      { email_id: formats.exampleId('em'), recipient: 'user@example.com' },
    ),
  },
} as const satisfies Shape;
