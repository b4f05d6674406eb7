import { createHash } from 'node:crypto';
import type { UnsubscribeRecipient } from '#libs/emails';

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;margin:0;padding:12vh 1.5rem}' +
  'main{max-width:34rem;margin:auto}h1{font-size:1.5rem;line-height:1.3}' +
  'strong{display:inline-block;max-width:100%;overflow-wrap:anywhere}' +
  'button{font:inherit;font-weight:600;padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#1d4ed8;color:#fff;cursor:pointer}' +
  'button:hover{background:#1e40af}button:focus-visible{outline:3px solid;outline-offset:3px}';

/** Allows the style of the page and a form to its own URL; no scripts, no images, no foreign content, no framing. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
};

type Unsubscription = NonNullable<Awaited<ReturnType<UnsubscribeRecipient['find']>>>;

/** The form posts to the URL of the page, which is the unsubscribe link. */
export const confirmationPage = ({ sender, address }: Unsubscription): string =>
  page(
    'Unsubscribe?',
    `<p>Mail from ${strong(sender)} will no longer be sent to ${strong(maskedAddress(address))}.</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`,
  );

export const donePage = ({ sender, address }: Unsubscription): string =>
  page(
    'You are unsubscribed',
    `<p role="status">No more mail from ${strong(sender)} will be sent to ${strong(maskedAddress(address))}. You can close this page.</p>`,
  );

export const unknownPage = (): string =>
  page(
    'This link does not work',
    '<p>It is incomplete, or the mail it came with is too old. Open the link in a newer mail of the same sender.</p>',
  );

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

/** Enough for the owner to recognise, too little for anyone else who opens the link: `a…@example.com`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, at);
  return `${first}…${address.slice(at)}`;
}

const strong = (text: string): string => `<strong>${escaped(text)}</strong>`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
