import { Resend } from 'resend';
import { expect } from 'vitest';

interface Answer<T> {
  data: T | null;
  error: { name: string; message: string; statusCode: number | null } | null;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

/** Ids as these clients have them. */
export const uuid = (): string => expect.stringMatching(new RegExp(`^${UUID}$`)) as string;
export const timestamp = (): string => expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;

/** The unmodified client of Resend, with nothing but its base URL changed. */
export const resendClient = (url: string, key: string) => new Resend(key, { baseUrl: `${url}/resend` });

/** What a call gave; fails where it did not succeed. */
export async function good<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error } = await call;
  expect(error).toBeNull();
  return data as T;
}

/** Status and name of the error that a call gave, in the shape that the client declares. */
export async function refused(call: Promise<Answer<unknown>>): Promise<[number | null, string]> {
  const { data, error } = await call;
  expect(data).toBeNull();
  expect(error).toMatchObject({
    name: expect.any(String) as string,
    message: expect.stringMatching(/\.$/) as string,
    statusCode: expect.any(Number) as number,
  });
  return [error?.statusCode ?? null, error?.name ?? ''];
}
