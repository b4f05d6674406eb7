/** Sends an e-mail with the types that openapi-typescript generates from openapi.json, reads it again, and prints it. */
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({
  baseUrl: process.env.POSTLOFT_URL ?? '',
  headers: { Authorization: `Bearer ${process.env.POSTLOFT_KEY}` },
});
const sent = await client.POST('/emails', {
  body: { from: process.env.POSTLOFT_SENDER ?? '', to: ['ada@example.net'], subject: 'Your order', text: 'Thank you.' },
});
if (!sent.data) throw new Error(JSON.stringify(sent.error));
const found = await client.GET('/emails/{id}', { params: { path: { id: sent.data.id } } });
if (!found.data) throw new Error(JSON.stringify(found.error));
console.log(JSON.stringify({ id: found.data.id, subject: found.data.subject }));
