import { Injectable } from '@nestjs/common';
import { DeliveryPolicies, type DeliveryPolicy } from '#libs/domains';
import { Config, parseUrl } from '#libs/kernel';
import type { HtmlReplacement } from '#libs/mime';
import { rewriteHtml, TrackingLinks } from '#libs/tracking';
import type { DeliveryJob, Tracking } from '../delivery-job.js';
import { matchesLinkPattern } from './link-patterns.js';
import { readUnsubscribeUris, uriKey } from './unsubscribe-uris.js';

const HTTP = /^https?:\/\//i;
/** An address with one of these is left as it is: it could not be sent in a Location field without a change. */
const UNSAFE = /[\0-\x20\x7f]/;
const ASCII_WHITE_SPACE = '\t\n\f\r ';

/** Puts the tracking links of one recipient into the HTML of a message. */
@Injectable()
export class TrackedContent {
  private readonly publicUrl: string;
  private readonly hostedUnsubscribe: string;

  constructor(
    private readonly policies: DeliveryPolicies,
    private readonly links: TrackingLinks,
    config: Config,
  ) {
    this.publicUrl = config.settings.PUBLIC_URL;
    this.hostedUnsubscribe = uriKey(`${this.publicUrl}/unsubscribe/`) ?? '';
  }

  /**
   * Replaces links and inserts the pixel in the HTML of the job's message. The job has one recipient. Links of the service
   * itself and those of `listUnsubscribe` are never replaced.
   * @param listUnsubscribe the values of these header fields
   */
  async replacement(
    { email, recipients }: Pick<DeliveryJob, 'email' | 'recipients'>,
    tracking: Tracking,
    listUnsubscribe: readonly string[],
  ): Promise<HtmlReplacement> {
    const policy = await this.policies.of(email.accountId, email.domainId);
    const base = this.base(policy);
    const unsubscribes = readUnsubscribeUris(listUnsubscribe);
    const recipient = { emailId: email.id, ordinal: recipients[0].ordinal };
    let index = 0;
    let pixel = tracking.opens ? pixelTag(this.links.openUrl(base ?? this.publicUrl, recipient)) : null;
    const link = (isUnicode: boolean) => (href: string) => {
      const target = trimmed(href);
      const key = this.isTrackable(target, isUnicode) ? uriKey(target) : null;
      if (base === null || key === null || unsubscribes.has(key) || key.startsWith(this.hostedUnsubscribe)) return null;
      if (matchesLinkPattern(policy.trackingExclude, target)) return null;
      return this.links.clickUrl(base, { ...recipient, index: index++, target });
    };
    return async (html, isUnicode) => {
      const append = pixel;
      pixel = null;
      return rewriteHtml(html, { link: tracking.clicks && base !== null ? link(isUnicode) : null, append });
    };
  }

  /**
   * `https://track.example.com` with the scheme and the port of the public URL. Null if the domain has no host for links
   * any more: on the public host they would be redirects in the name of the service.
   */
  private base({ trackingHost, tracksOnPublicHost }: DeliveryPolicy): string | null {
    if (trackingHost === null) return tracksOnPublicHost ? this.publicUrl : null;
    const { protocol, port } = new URL(this.publicUrl);
    return `${protocol}//${trackingHost}${port === '' ? '' : `:${port}`}`;
  }

  private isTrackable(target: string, isUnicode: boolean): boolean {
    if (!HTTP.test(target) || UNSAFE.test(target) || parseUrl(target) === null) return false;
    // In another charset than UTF-8 the octets of such characters are not known here.
    return isUnicode || !/[^\0-\x7f]/.test(target);
  }
}

/** As browsers read an address. Not an expression: one for the end is quadratic in a run of white space. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && ASCII_WHITE_SPACE.includes(text[from])) from += 1;
  while (to > from && ASCII_WHITE_SPACE.includes(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

/** Outside of the layout, and above the lower edge of the page, so that a tracked message looks like the original. */
const pixelTag = (url: string): string =>
  `<img src="${url}" alt="" width="1" height="1" style="position:absolute;width:1px;height:1px;margin:-1px;border:0">`;
