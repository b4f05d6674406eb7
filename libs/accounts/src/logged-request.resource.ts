import { fields, resource, type RowOf, type ViewOf } from '#libs/contracts';

export const loggedRequest = resource({
  name: 'LoggedRequest',
  about: 'A request to the API and its response, without bodies.',
  table: 'request_log',
  fields: {
    id: fields.id('log', 'The id of this entry').stored(),
    object: fields.kind('log', { example: 'log' }),
    request_id: fields
      .text(
        'The same as in the response header `x-request-id` and in the body of an error',
        'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d',
      )
      .stored(),
    method: fields.text('The HTTP method', 'POST').stored(),
    endpoint: fields
      .text(
        'The path without `/v1` and without the query. Ids are shown; an address or any other text that could be private is ' +
          'replaced by the name of its parameter, as in `/suppressions/:email`',
        '/emails',
      )
      .storedAs('path'),
    response_status: fields.integer('The HTTP status of the response', 422).storedAs('status'),
    error: fields
      .text('The `name` of the error in the response; null if there was none', 'invalid_from_address')
      .orNull()
      .stored(),
    user_agent: fields
      .text(
        'The User-Agent header, at most 256 characters; words that look like addresses or keys are replaced',
        'shop/2.1',
      )
      .orNull()
      .stored(),
    ip: fields.text('The IP address of the client', '192.0.2.10').orNull().stored(),
    api_key_id: fields.id('key', 'The API key of the request').stored(),
    latency_ms: fields.integer('Milliseconds from the request to the end of the response', 12).stored(),
    created_at: fields.time('When it was answered').stored(),
  },
  internal: {
    account_id: fields.column<string>(),
    /** The key was a test key. */
    test: fields.column<boolean>('boolean'),
    /** The domains that the key saw at the time of the request; null: all. */
    domain_ids: fields.column<string[] | null>('text[]'),
  },
});

export interface RequestLogView extends ViewOf<typeof loggedRequest> {}
export interface RequestLogRow extends RowOf<typeof loggedRequest> {}
