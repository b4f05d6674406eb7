import { Injectable } from '@nestjs/common';
import { DeliveryPolicies } from '#libs/domains';
import { Config } from '#libs/kernel';
import type { HtmlReplacement } from '#libs/mime';
import { rewriteHtml, TrackingLinks } from '#libs/tracking';
import type { DeliveryJob, Tracking } from '../message/delivery-job.js';
import { matchesLinkPattern } from './link-patterns.js';

const HTTP = /^https?:\/\//i;
/** An address with one of these is left as it is: it could not be sent in a Location field without a change. */
const UNSAFE = /[\0-\x20\x7f]/;
const ASCII_WHITE_SPACE = '\t\n\f\r ';

/** Puts the tracking links of one recipient into the HTML of a message. */
@Injectable()
export class TrackedContent {
  private readonly publicUrl: string;

  constructor(
    private readonly policies: DeliveryPolicies,
    private readonly links: TrackingLinks,
    config: Config,
  ) {
    this.publicUrl = config.settings.PUBLIC_URL;
  }

  /**
   * Replaces links and inserts the pixel in the HTML of the job's message. The job has one recipient. Links of the service itself and those of `listUnsubscribe` are never replaced.
   * @param listUnsubscribe the value of the header field, '' where there is none
   */
  async replacement(
    { email, recipients }: Pick<DeliveryJob, 'email' | 'recipients'>,
    tracking: Tracking,
    listUnsubscribe: string,
  ): Promise<HtmlReplacement> {
    const policy = await this.policies.of(email.accountId, email.domainId);
    const base = this.base(policy.trackingHost);
    const recipient = { emailId: email.id, ordinal: recipients[0].ordinal };
    let index = 0;
    let pixel = tracking.opens ? pixelTag(this.links.openUrl(base, recipient)) : null;
    const link = (isUnicode: boolean) => (href: string) => {
      const target = trimmed(href);
      if (!this.isTrackable(target, isUnicode) || listUnsubscribe.includes(`<${target}>`)) return null;
      if (matchesLinkPattern(policy.trackingExclude, target)) return null;
      return this.links.clickUrl(base, { ...recipient, index: index++, target });
    };
    return async (html, isUnicode) => {
      const append = pixel;
      pixel = null;
      return rewriteHtml(html, { link: tracking.clicks ? link(isUnicode) : null, append });
    };
  }

  /** `https://track.example.com` with the scheme and the port of the public URL. */
  private base(trackingHost: string | null): string {
    if (trackingHost === null) return this.publicUrl;
    const { protocol, port } = new URL(this.publicUrl);
    return `${protocol}//${trackingHost}${port === '' ? '' : `:${port}`}`;
  }

  private isTrackable(target: string, isUnicode: boolean): boolean {
    if (!HTTP.test(target) || UNSAFE.test(target) || !URL.canParse(target)) return false;
    // In another charset than UTF-8 the octets of such characters are not known here.
    if (!isUnicode && /[^\0-\x7f]/.test(target)) return false;
    return !target.startsWith(`${this.publicUrl}/unsubscribe/`);
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
