import { describe, expect, it } from 'vitest';
import type { DeliveryPolicies, DeliveryPolicy } from '#libs/domains';
import { loadConfig } from '#libs/kernel';
import { TrackingLinks } from '#libs/tracking';
import { TrackedContent } from './tracked-content.js';

const config = loadConfig('standalone', {
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  PUBLIC_URL: 'https://post.example.com',
});
const JOB = {
  email: { id: 'em_018f4c2e7b3a7cc19f0e123456789abc', accountId: 'acc_1', domainId: 'dom_1' },
  recipients: [{ ordinal: 0 }],
} as unknown as Parameters<TrackedContent['replacement']>[0];
const TRACKED = { trackingHost: 'track.shop.example', tracksOnPublicHost: false, trackingExclude: [] as string[] };
const tracking = { opens: true, clicks: true };

async function rewritten(html: string, unsubscribe: string[] = [], policy: Partial<DeliveryPolicy> = TRACKED) {
  const policies = { of: () => Promise.resolve(policy) } as unknown as DeliveryPolicies;
  const content = new TrackedContent(policies, new TrackingLinks(config.settings.MASTER_KEY), config);
  return (await content.replacement(JOB, tracking, unsubscribe))(html, true);
}
const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
const isTracked = (href: string) => href.includes('/t/c/');

describe('hosts of tracking links', () => {
  const html = '<a href="https://shop.example/">x</a>';

  it('are the tracking host of the domain, or the public one if the operator vouches for the domain', async () => {
    expect(await rewritten(html)).toMatch(
      /href="https:\/\/track\.shop\.example\/t\/c\/.*src="https:\/\/track\.shop\.example\/t\/o\//,
    );
    const vouched = { ...TRACKED, trackingHost: null, tracksOnPublicHost: true };
    expect(await rewritten(html, [], vouched)).toMatch(/href="https:\/\/post\.example\.com\/t\/c\//);
  });

  it('never are the public one for the links of a domain whose record was lost', async () => {
    const lost = { ...TRACKED, trackingHost: null };
    const result = await rewritten(html, [], lost);
    expect(hrefs(result)).toEqual(['https://shop.example/']);
    expect(result).toContain('src="https://post.example.com/t/o/');
  });
});

describe('an unsubscribe link in the body', () => {
  const BODY = 'https://shop.example/u?a=1&b=x%40y.example';
  const inHtml = (href: string) =>
    `<a href="${href.replaceAll('&', '&amp;')}">x</a><a href="https://shop.example/u">y</a>`;

  it.each([
    ['as it stands', `<${BODY}>`],
    ['blanks around it', `< ${BODY}\t>`],
    ['blanks within it, from folding', `<https://shop.example/ u?a=1&b=x%40\t y.example>`],
    ['capitals', `<HTTPS://SHOP.Example/u?a=1&b=x%40y.example>`],
    ['a default port', `<https://shop.example:443/u?a=1&b=x%40y.example>`],
    ['a final dot', `<https://shop.example./u?a=1&b=x%40y.example>`],
    ['less percent-encoding', `<https://shop.example/u?a=1&b=x@y.example>`],
    ['more percent-encoding', `<https://shop.example/%75?%61=1&b=%78%40y%2Eexample>`],
    ['lower-case hex digits', `<https://shop.example/u?a=1&b=x%40y%2eexample>`],
    ['an HTML reference', `<https://shop.example/u?a=1&amp;b=x%40y.example>`],
    ['a fragment', `<${BODY}#top>`],
    ['another scheme', `<http://shop.example/u?a=1&b=x%40y.example>`],
    ['dot segments', `<https://shop.example/./v/../u?a=1&b=x%40y.example>`],
    [
      'others before and after it',
      `<mailto:u@shop.example?subject=u>, <https://shop.example/v>,<${BODY}>, <ftp://a.example>`,
    ],
    ['comments', `(Use this) <${BODY}> (or write to us)`],
    ['no brackets', `mailto:u@shop.example, ${BODY}`],
    ['no closing bracket', `<${BODY}`],
    ['encoded words', `=?utf-8?Q?=3Chttps=3A//shop=2Eexample/u=3Fa=3D1?= =?utf-8?Q?=26b=3Dx=2540y=2Eexample=3E?=`],
  ])('is never tracked, however the header field spells it: %s', async (_what, header) => {
    const [unsubscribe, other] = hrefs(await rewritten(inHtml(BODY), [header]));
    expect([isTracked(unsubscribe), isTracked(other)]).toEqual([false, true]);
  });

  it.each(['HTTPS://Shop.Example:443/u?a=1&b=x@y.example', 'https://shop.example/%75?a=1&b=x%40y.example#b'])(
    'is never tracked, however the body spells it: %s',
    async (body) => {
      const [unsubscribe, other] = hrefs(await rewritten(inHtml(body), ['<mailto:u@shop.example>', `<${BODY}>`]));
      expect([isTracked(unsubscribe), isTracked(other)]).toEqual([false, true]);
    },
  );

  it('of the service is never tracked', async () => {
    const own = ['https://post.example.com/unsubscribe/x', 'HTTPS://POST.example.com:443/unsubscribe/x'];
    for (const href of own) expect(isTracked(hrefs(await rewritten(inHtml(href)))[0])).toBe(false);
    expect(isTracked(hrefs(await rewritten(inHtml('https://post.example.com/unsubscribed')))[0])).toBe(true);
  });
});
