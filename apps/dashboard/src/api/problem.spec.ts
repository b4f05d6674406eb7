import { describe, expect, it } from 'vitest';
import { ApiError } from './http.ts';
import { problemOf, sentenceAt, wordsOf } from './problem.ts';

const RULE = 'must be a domain name such as mail.example.com';
const refusal = (status: number, message: string, details: ApiError['details'] = []) =>
  new ApiError(message, status, 'bad_request', 'req_1', details);
const overGraphql = (message: string, extensions: object) => ({ graphQLErrors: [{ message, extensions }] });

describe('problemOf', () => {
  it('says a refused value once, with the label of its field', () => {
    const { fields } = problemOf(refusal(400, `name ${RULE}.`, [{ field: 'name', code: 'invalid', message: RULE }]));
    expect(fields).toHaveLength(1);
    expect(sentenceAt(fields[0], 'Domain')).toBe('Domain must be a domain name such as mail.example.com.');
  });

  it('names the refused element of a list by its value', () => {
    const message = 'trackingExclude[1] must not have a scheme.';
    const details = [{ field: 'trackingExclude[1]', code: 'scheme', message: 'must not have a scheme' }];
    const [field] = problemOf(overGraphql(message, { statusCode: 400, details })).fields;
    expect(field).toMatchObject({ name: 'trackingExclude', index: 1 });
    expect(sentenceAt(field, 'Links', ['example.com', 'https://a.example'])).toBe(
      '“https://a.example” must not have a scheme.',
    );
    expect(sentenceAt(field, 'Links')).toBe('Links must not have a scheme.');
  });

  it('finds fields of REST by the names of GraphQL', () => {
    const details = [{ field: 'current_password', code: 'required', message: 'is required' }];
    expect(problemOf(refusal(400, 'A required field is missing.', details)).fields[0].name).toBe('currentPassword');
  });

  it('keeps the sentence of a refusal that is not about the form of a value', () => {
    const details = [{ field: 'email', code: 'already_a_member', message: 'must not be that of a member' }];
    const { fields, message } = problemOf(refusal(409, 'This person is a member already.', details));
    expect(sentenceAt(fields[0], 'Email')).toBe('This person is a member already.');
    expect(message).toBe('This person is a member already.');
  });

  it('has no names of fields in the sentence for a page without the field', () => {
    const rule = 'must be an id such as em_…';
    const details = [{ field: 'emailId', code: 'invalid_parameter', message: rule }];
    const { message } = problemOf(overGraphql(`The parameter emailId ${rule}`, { statusCode: 400, details }));
    expect(message).toBe('Email ID must be an id such as em_….');
  });

  it('adds nothing to a refusal without a field', () => {
    const details = [
      { field: '', code: 'wrong_credentials', message: 'must be the email address and password of a user' },
    ];
    const { message, fields } = problemOf(refusal(401, 'The email address or the password is wrong.', details));
    expect({ message, fields }).toEqual({ message: 'The email address or the password is wrong.', fields: [] });
  });

  it('hides values that do not fit the schema behind a sentence', () => {
    const message = 'Variable "$input" got invalid value 1 at "input.name"; String cannot represent 1';
    const details = [{ field: 'name', code: 'invalid_type', message }];
    expect(problemOf(overGraphql(message, { statusCode: 400, details })).message).toBe('A value is invalid.');
  });

  it.each([
    [40, 'Try again in 40 seconds.'],
    [1, 'Try again in 1 second.'],
    [600, 'Try again in 10 minutes.'],
    [86_000, 'Try again in 24 hours.'],
  ])('says when to try again after %d s', (seconds, words) => {
    const refused = new ApiError('Too many failed sign-ins. Try again.', 429, 'rate_limit_exceeded', null, [], seconds);
    const { message } = problemOf(refused);
    expect(message).toBe(`Too many failed sign-ins. ${words}`);
  });

  it('tells refusals from failures of the service', () => {
    expect(problemOf(refusal(422, 'No.')).isRefusal).toBe(true);
    expect(problemOf(refusal(500, 'Something went wrong on our side.')).isRefusal).toBe(false);
    expect(problemOf({ networkError: new Error('fetch') })).toMatchObject({ isRefusal: false, requestId: null });
    expect(problemOf(new Error('The check is taking longer than usual.')).message).toBe(
      'The check is taking longer than usual.',
    );
  });
});

it.each([
  ['emailId', 'Email ID'],
  ['allowedIps', 'Allowed IPs'],
  ['webhookUrl', 'Webhook URL'],
  ['name', 'Name'],
])('writes %s as %s', (name, words) => {
  expect(wordsOf(name)).toBe(words);
});
