import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

const MOZILLA = 'Mozilla/5.0';
const LIKE = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
  [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${LIKE} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${LIKE} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
  [`${MOZILLA} (Windows NT 10.0) ${LIKE} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0`, 'Opera on Windows'],
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${LIKE} Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${LIKE} Version/18.5 Mobile/15E148 Safari/604.1`,
    'Safari on iPhone',
  ],
  [`${MOZILLA} (iPad; CPU OS 18_5 like Mac OS X) ${LIKE} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPad'],
  [`${MOZILLA} (Linux; Android 10; K) ${LIKE} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `${MOZILLA} (Linux; Android 15; SM-S921B) ${LIKE} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [`${MOZILLA} (X11; Linux x86_64) ${LIKE} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  ['curl/8.14.1', 'curl'],
  [`${MOZILLA} (X11; Linux x86_64)`, 'Unknown browser on Linux'],
  ['MyTool/1.0', 'MyTool/1.0'],
  ['', 'Unknown browser'],
  [null, 'Unknown browser'],
])('names the browser of %j', (userAgent, expected) => {
  expect(browserName(userAgent)).toBe(expected);
});
