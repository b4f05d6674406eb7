import { parseUrl } from '#libs/kernel';
import { Injectable } from '@nestjs/common';
import { Refusal, type Visibility } from '#libs/contracts';
import { type Requester, SafeFetch } from '#libs/safe-fetch';
import { NO_URL, noImage } from '../preview/safe-css.js';
import { safeHtml } from '../preview/safe-html.js';
import { embedImages, EmailPreview } from './email-preview.js';

/** The HTML of a message with the images of other hosts in it. */
export interface HtmlWithImages {
  html: string;
  /** Different images of other hosts in the message. */
  images: number;
  /** Of these, how many are in `html`. The others failed, or are beyond the limits. */
  loaded: number;
}

/** Of one message; the others are not requested. */
const MAX_IMAGES = 100;
/** Of one image, and of all images of a message, before Base64. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_BYTES = 20 * 1024 * 1024;
const PARALLEL = 6;
/** Of one request, and of all requests for a message. */
const TIMEOUT_MS = 5_000;
const TOTAL_MS = 20_000;
const MAX_REDIRECTS = 3;
/** Messages whose images are being loaded at once in this process, which bounds their memory. */
const MAX_MESSAGES = 4;
const RETRY_SECONDS = 5;
const IMAGE_TYPE = /^\s*(image\/[\w.+-]{1,60})\s*(?:;|$)/i;

/**
 * Loads the images of other hosts on behalf of a reader, whose browser and address stay unknown to them: without cookies
 * and Referer, from public addresses only, within limits of number, size and time. They are not kept.
 */
@Injectable()
export class RemoteImages {
  /** Accounts with a message whose images are being loaded. */
  private readonly loading = new Set<string>();

  constructor(
    private readonly previews: EmailPreview,
    private readonly fetcher: SafeFetch,
  ) {}

  /**
   * Null if the account has no such email, or no HTML of it.
   * @throws Refusal `rate_limit_exceeded` while the images of another message are loaded
   */
  async html(visibility: Visibility, emailId: string, signal?: AbortSignal): Promise<HtmlWithImages | null> {
    const content = await this.previews.content(visibility, emailId);
    if (content === null || content.html === null) return null;
    const { html, attachments } = content;
    const { accountId } = visibility;
    if (this.loading.has(accountId) || this.loading.size >= MAX_MESSAGES) throw otherImagesLoad();
    this.loading.add(accountId);
    try {
      const urls = await remoteImagesOf(html);
      const signals = [AbortSignal.timeout(TOTAL_MS), ...(signal === undefined ? [] : [signal])];
      const images = await this.loadAll(urls.slice(0, MAX_IMAGES), {
        account: accountId,
        signal: AbortSignal.any(signals),
      });
      const shown = await safeHtml(html, dataUrls(images));
      return { html: embedImages(shown, attachments), images: urls.length, loaded: images.size };
    } finally {
      this.loading.delete(accountId);
    }
  }

  private async loadAll(urls: string[], requester: Requester): Promise<Map<string, LoadedImage>> {
    const images = new Map<string, LoadedImage>();
    let left = MAX_BYTES;
    const waiting = [...urls];
    const next = async (): Promise<void> => {
      for (
        let url = waiting.shift();
        url !== undefined && left > 0 && !requester.signal?.aborted;
        url = waiting.shift()
      ) {
        const image = await this.load(url, requester);
        if (image === null || image.body.length > left) continue;
        left -= image.body.length;
        images.set(url, image);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    return images;
  }

  /** Follows redirects; every hop is checked like the first address. Null without an image. */
  private async load(url: string, requester: Requester): Promise<LoadedImage | null> {
    const limits = { ...requester, timeoutMs: TIMEOUT_MS, budget: { bytes: MAX_IMAGE_BYTES }, allowHttp: true };
    let at: string | null = absolute(url);
    for (let hop = 0; hop <= MAX_REDIRECTS && at !== null; hop += 1) {
      const answer = await this.fetcher.get(at, limits);
      if (answer.kind === 'fetched') {
        const type = IMAGE_TYPE.exec(answer.contentType)?.[1];
        return type === undefined ? null : { type, body: answer.body };
      }
      at = answer.failure === 'redirect_not_followed' ? (answer.location ?? null) : null;
    }
    return null;
  }
}

interface LoadedImage {
  type: string;
  body: Buffer;
}

/** The different URLs of images of other hosts in a document, in its order. */
async function remoteImagesOf(html: string): Promise<string[]> {
  const urls = new Set<string>();
  await safeHtml(html, (url) => {
    if (absolute(url) !== null) urls.add(url);
    return noImage(url);
  });
  return [...urls];
}

/** Gives `data:` URLs, up to a limit for all: a message may show one image many times. */
function dataUrls(images: ReadonlyMap<string, LoadedImage>): (url: string) => string {
  let left = MAX_BYTES;
  return (url) => {
    const image = images.get(url);
    if (image === undefined || image.body.length > left) return NO_URL;
    left -= image.body.length;
    return `data:${image.type};base64,${image.body.toString('base64')}`;
  };
}

/** The URL of a web image; null for others, and for relative ones, which a message has no base for. */
function absolute(url: string): string | null {
  const text = url.trim().startsWith('//') ? `https:${url.trim()}` : url.trim();
  const parsed = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (parsed === null) return null;
  parsed.hash = '';
  return parsed.href;
}

const otherImagesLoad = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    [],
    'The images of other messages are being loaded. Try again when that has ended.',
    RETRY_SECONDS,
  );
