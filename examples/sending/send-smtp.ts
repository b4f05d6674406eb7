// Sends an email over SMTP with nodemailer.
//
//   npm install nodemailer
//   POSTLOFT_API_KEY=pl_live_… npx tsx send-smtp.ts shop@sandbox.postloft.test you@example.com
import { createTransport } from 'nodemailer';

const [from, to] = process.argv.slice(2);
const transport = createTransport({
  host: process.env['POSTLOFT_SMTP_HOST'] ?? 'localhost',
  port: Number(process.env['POSTLOFT_SMTP_PORT'] ?? 2587),
  requireTLS: true,
  // The user is an address at a domain of the account; the password is an API key.
  auth: { user: from, pass: process.env['POSTLOFT_API_KEY'] ?? '' },
  // The certificate that the service makes for itself is not known to clients. Leave this out with one of your own.
  tls: { rejectUnauthorized: process.env['POSTLOFT_SELF_SIGNED'] !== '1' },
});
const { response } = await transport.sendMail({
  from,
  to,
  subject: 'Order 4711',
  text: 'Thank you.',
  html: '<p>Thank you.</p>',
  headers: { 'X-Service-Tag-Kind': 'order' },
});
// `250 2.0.0 Ok: queued as em_…`
console.log(response);
