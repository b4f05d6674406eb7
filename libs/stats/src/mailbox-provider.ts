/** Domains of the large mailbox providers, by the name that statistics show. A name that ends in a dot has any ending (`yahoo.`). */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  google: ['gmail.com', 'googlemail.com', 'google.com'],
  microsoft: ['hotmail.', 'outlook.', 'live.', 'msn.com', 'passport.com', 'windowslive.com'],
  yahoo: ['yahoo.', 'ymail.com', 'rocketmail.com', 'aol.', 'aim.com', 'myyahoo.com'],
  apple: ['icloud.com', 'me.com', 'mac.com'],
  proton: ['proton.me', 'protonmail.', 'pm.me'],
  united_internet: ['gmx.', 'web.de', 'mail.com', '1und1.de'],
  telekom: ['t-online.de', 'magenta.de'],
  freenet: ['freenet.de'],
  orange: ['orange.fr', 'wanadoo.fr'],
  free: ['free.fr'],
  sfr: ['sfr.fr', 'neuf.fr'],
  laposte: ['laposte.net'],
  libero: ['libero.it', 'virgilio.it'],
  seznam: ['seznam.cz', 'email.cz'],
  comcast: ['comcast.net', 'xfinity.com'],
  zoho: ['zohomail.', 'zoho.com'],
  fastmail: ['fastmail.', 'messagingengine.com'],
  yandex: ['yandex.', 'ya.ru'],
  mail_ru: ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru'],
  tencent: ['qq.com', 'foxmail.com'],
  netease: ['163.com', '126.com', 'yeah.net'],
};

const WHOLE = new Map<string, string>();
const FAMILIES = new Map<string, string>();
for (const [provider, domains] of Object.entries(PROVIDERS))
  for (const domain of domains)
    if (domain.endsWith('.')) FAMILIES.set(domain.slice(0, -1), provider);
    else WHOLE.set(domain, provider);

/**
 * Whose mailbox an address is: a known provider's name, else its domain. By the domain alone and not by the MX that took
 * the mail, so that every event of a recipient, from accepted to complained, counts in the same group.
 */
export function mailboxProvider(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return WHOLE.get(domain) ?? familyOf(domain) ?? domain;
}

/** `yahoo.co.uk` and `yahoo.fr` belong to `yahoo`; `yahoo.example.com` does not. */
function familyOf(domain: string): string | undefined {
  const labels = domain.split('.');
  const countries = labels.length === 2 || (labels.length === 3 && /^(co|com|ne|net|or|org)$/.test(labels[1]));
  return countries ? FAMILIES.get(labels[0]) : undefined;
}
