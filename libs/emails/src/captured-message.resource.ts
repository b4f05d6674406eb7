import { fields, resource, type RowOf, type ViewOf } from '#libs/contracts';

/** A captured message; its bytes are read apart. */
export const capturedMessage = resource({
  name: 'CapturedEmail',
  about: 'A captured message, as it would have been sent. `GET /captured/:id/raw` returns its bytes.',
  table: 'captured_messages',
  fields: {
    id: fields.id('cap', 'The id of the captured message').stored(),
    object: fields.kind('captured'),
    email_id: fields.id('em', 'The email that it was made from').stored(),
    mail_from: fields.text('Envelope sender', 'b+5b9a2c0d@bounces.mail.example.com').stored(),
    rcpt_to: fields.texts('Envelope recipients', ['user@example.net']).stored(),
    size: fields.integer('Size of the message in bytes', 2417).stored(),
    created_at: fields.time('When it was captured').stored(),
  },
  internal: {},
});

export interface CapturedView extends ViewOf<typeof capturedMessage> {}
export interface CapturedRow extends RowOf<typeof capturedMessage> {}
