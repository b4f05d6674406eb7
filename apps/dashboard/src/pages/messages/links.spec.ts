import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { beforeAll, afterAll, describe, expect, it, vi } from 'vitest';
import { htmlFacts, isWebLink, looksLikeAnotherHost, textLinks } from './links.ts';

describe('textLinks', () => {
  it.each([
    ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
    ['(https://example.com/a), "http://example.org/b"!', ['https://example.com/a', 'http://example.org/b']],
    ['<https://example.com> and https://example.com', ['https://example.com']],
    ['HTTPS://EXAMPLE.COM/A', ['HTTPS://EXAMPLE.COM/A']],
    ['mailto:a@example.com www.example.com xhttp://example.com', []],
    ['', []],
  ])('finds the addresses in %j', (text, urls) => {
    expect(textLinks(text)).toEqual(urls.map((url) => ({ url, text: '' })));
  });
});

describe('isWebLink', () => {
  it.each([
    ['https://example.com', true],
    ['HTTP://example.com', true],
    ['mailto:a@example.com', false],
    ['//example.com', false],
    ['/path', false],
  ])('%s: %s', (url, expected) => {
    expect(isWebLink({ url, text: '' })).toBe(expected);
  });
});

describe('looksLikeAnotherHost', () => {
  it.each([
    ['https://evil.example/login', 'https://bank.example.com/login', true],
    ['https://evil.example', 'bank.example.com', true],
    ['https://evil.example', 'WWW.Bank.example.com:443/x', true],
    ['https://www.bank.example.com/x', 'bank.example.com', false],
    ['https://BANK.example.com', 'https://bank.example.com/x?y', false],
    ['https://evil.example', 'Log in to bank.example.com', false],
    ['https://evil.example', 'Log in', false],
    ['https://evil.example', '', false],
    ['mailto:a@evil.example', 'bank.example.com', false],
    ['not an address', 'bank.example.com', false],
  ])('%s shown as %j: %s', (url, text, expected) => {
    expect(looksLikeAnotherHost({ url, text })).toBe(expected);
  });
});

describe('htmlFacts', () => {
  beforeAll(() => void vi.stubGlobal('DOMParser', TreeParser));
  afterAll(() => void vi.unstubAllGlobals());

  it.each([
    ['<a href=" https://example.com/a ">Read <b>more</b>\n now</a>', [['https://example.com/a', 'Read more now']]],
    ['<a href="https://example.com"><img src="x.png" alt="Logo"></a>', [['https://example.com', 'Logo']]],
    ['<a href="https://example.com"><img src="x.png"></a>', [['https://example.com', '']]],
    ['<map><area href="mailto:a@example.com"></map>', [['mailto:a@example.com', '']]],
    ['<a href=https://example.com/?a=1&amp;b=2>Unclosed', [['https://example.com/?a=1&b=2', 'Unclosed']]],
    ['<a href="">Empty</a><a name="top">No target</a><!-- <a href="x">Comment</a> -->', []],
    ['', []],
  ])('lists the links of %j', (html, links) => {
    expect(htmlFacts(html).links).toEqual(links.map(([url, text]) => ({ url, text })));
  });

  it.each([
    ['<img src="https://example.com/a.png" alt="A">', 1, 0],
    ['<IMG SRC="HTTP://EXAMPLE.COM/A.PNG">', 1, 1],
    ['<img src="//example.com/a.png" alt="">', 1, 0],
    ['<img src="cid:logo" alt="Logo"><img src="data:image/png;base64,AA==" alt="">', 0, 0],
    ['<table><tr><td><img><td><img src="/a.png"></table>', 0, 2],
    ['<p>No image</p>', 0, 0],
  ])('counts the images of %j', (html, remoteImages, imagesWithoutText) => {
    expect(htmlFacts(html)).toMatchObject({ remoteImages, imagesWithoutText });
  });

  it.each([
    ['<p>No width</p>', 0],
    ['<table width="720"><tr><td width="50%">x</table>', 720],
    ['<table width="100%"><tr><td style="padding: 0; WIDTH: 800px">x</table>', 800],
    ['<div style="min-width:900px">x</div>', 900],
    ['<div style="max-width: 900px; border-width: 700px">x</div>', 0],
  ])('finds the widest element of a fixed width in %j', (html, fixedWidth) => {
    expect(htmlFacts(html)).toMatchObject({ fixedWidth });
  });

  it.each([
    ['<p>Hello</p>', 48],
    ['', 0],
    [`<div>${'x'.repeat(400)}</div>`, 264],
    ['<img src="a.png" height="90"><img src="b.png">', 250],
  ])('estimates the height of %j', (html, height) => {
    expect(htmlFacts(html)).toMatchObject({ height });
  });
});

/** The parts of the DOM that `htmlFacts` uses, on the tree of a parser of HTML. */
class TreeParser {
  parseFromString(html: string) {
    const document = new TreeNode(parse(html));
    return {
      images: document.querySelectorAll('img'),
      body: document.querySelector('body'),
      querySelectorAll: (of: string) => document.querySelectorAll(of),
    };
  }
}

class TreeNode {
  constructor(private readonly node: Tree.Node) {}

  get textContent(): string {
    return 'value' in this.node ? this.node.value : this.children.map((child) => child.textContent).join('');
  }

  getAttribute(name: string): string | null {
    return 'attrs' in this.node ? (this.node.attrs.find((one) => one.name === name)?.value ?? null) : null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  querySelector(selector: string): TreeNode | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  querySelectorAll(selectors: string): TreeNode[] {
    return this.children.flatMap((child) => [
      ...(selectors.split(', ').some((one) => child.matches(one)) ? [child] : []),
      ...child.querySelectorAll(selectors),
    ]);
  }

  /** A name of an element, and of an attribute that it must have. */
  private matches(selector: string): boolean {
    const [, name, attribute] = /^(\w+)(?:\[(\w+)\])?$/.exec(selector) ?? [];
    return this.node.nodeName === name && (attribute === undefined || this.hasAttribute(attribute));
  }

  private get children(): TreeNode[] {
    return 'childNodes' in this.node ? this.node.childNodes.map((child) => new TreeNode(child)) : [];
  }
}
