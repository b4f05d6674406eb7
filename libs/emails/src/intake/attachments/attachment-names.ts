import { streamSafe, type RuleProblem } from '#libs/contracts';

const MAX_BYTES = 255;
// Control characters, path separators, bidirectional overrides and isolates, line separators, unpaired surrogates.
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\\u202a-\u202e\u2066-\u2069]/u;
/**
 * Many mail clients decode RFC 2047 words in file names, although they are not allowed there, and would show another
 * name than the one checked.
 */
const ENCODED_WORD = '=?';
/** Windows device names, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** Windows drops trailing dots and spaces when it saves a file: `a.exe.` becomes `a.exe`. */
const INVALID_END = /[. ]$/;

/** Executable by double click on some system. */
const EXECUTABLE = new Set(
  (
    'exe sh bat cmd scr pif msi msp mst jar jse vbs vbe wsf wsh wsc ws ps1 ps1xml ps2 psm1 psc1 hta cpl dll sys drv ocx lnk ' +
    'inf reg scf url gadget application chm hlp msc jnlp vb bash zsh csh ksh command elf deb rpm apk dmg appimage'
  ).split(' '),
);
/** The same, but common in harmless names before the extension of an archive (`example.com.zip`, `node.js.gz`). */
const EXECUTABLE_AT_END = new Set('com js app run bin pkg iso img py pl rb php'.split(' '));

/** Problems of a malformed file name (status 400). */
export function filenameProblems(name: unknown, path: string): RuleProblem[] {
  if (typeof name !== 'string') return [{ path, code: 'invalid_type', message: 'must be a string' }];
  if (name.trim() === '' || FORBIDDEN_CHARACTERS.test(name) || isLong(name))
    return invalid(
      path,
      `must be a file name of 1 to ${MAX_BYTES} bytes without path, control or direction characters`,
    );
  if (name.includes(ENCODED_WORD)) return invalid(path, 'must not contain "=?"');
  if (INVALID_END.test(name)) return invalid(path, 'must not end with a dot or a space');
  return RESERVED.test(name.split('.', 1)[0].trim()) ? invalid(path, 'must not be the name of a device') : [];
}

/** In Normalization Form C, in which no character is more than three times shorter than in any other form. */
const isLong = (name: string): boolean =>
  name.length > 3 * MAX_BYTES || Buffer.byteLength(name.normalize('NFC')) > MAX_BYTES;

const invalid = (path: string, message: string): RuleProblem[] => [{ path, code: 'invalid_filename', message }];

/** The last extension in lower case; '' if there is none, as in `Release 1.2` and `Dr. Smith`. */
export const extensionOf = (name: string): string =>
  /\.([a-z0-9]{0,9}[a-z][a-z0-9]{0,9})$/.exec(name.toLowerCase())?.[1] ?? '';

/** Archives and compressed files, which add their extension to the name of the file inside. */
const COMPRESSED = new Set(
  'zip zipx gz gzip tgz bz bz2 tbz tbz2 xz txz zst lz lz4 lzma lzh lha z br 7z rar tar cab arj ace'.split(' '),
);
/** NUL ends a name for programs written in C; on NTFS a colon begins the name of a stream. */
const STREAM_OR_CONTROL = /[:\p{Cc}]/u;
/** The type of an NTFS stream, as in `setup.exe::$DATA`. */
const STREAM_TYPE = /:\$[a-z_]*$/;

/** True if opening the file would run it, judging by its last extension. */
export function isExecutableName(name: string): boolean {
  const pieces = baseName(name).replace(STREAM_TYPE, '').split(STREAM_OR_CONTROL);
  return [pieces[0], pieces.at(-1) ?? ''].some((piece) => {
    const chain = extensions(withoutTrailingDots(piece));
    const last = chain.at(-1) ?? '';
    return EXECUTABLE.has(last) || EXECUTABLE_AT_END.has(last) || isCompressedProgram(chain);
  });
}

/** Windows drops them. A loop, because an expression would begin another search at each dot of a run. */
function withoutTrailingDots(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end -= 1;
  return name.slice(0, end);
}

/** `setup.exe.gz`: the content is not examined, and many programs unpack it by a double click. */
function isCompressedProgram(chain: string[]): boolean {
  const inside = chain.findLast((extension) => !COMPRESSED.has(extension)) ?? '';
  return COMPRESSED.has(chain.at(-1) ?? '') && EXECUTABLE.has(inside);
}

/**
 * The same for a file inside an archive, stricter because the archive is not unpacked: by any of its extensions. In an
 * Office document `.bin` is data (printer settings, embedded objects); its macros are detected by name.
 */
export function isExecutableEntry(name: string, { binIsData = false } = {}): boolean {
  const chain = extensions(baseName(name)).map((extension) => extension.split(':', 1)[0]);
  const last = chain.at(-1) ?? '';
  if (chain.some((extension) => EXECUTABLE.has(extension))) return true;
  return EXECUTABLE_AT_END.has(last) && !(binIsData && last === 'bin');
}

const extensions = (base: string): string[] => base.split('.').slice(1);

/**
 * Returns the last path segment in lower case, as a reader would perceive it: compatibility forms normalised, invisible
 * characters and white space removed.
 */
function baseName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  return (PLAIN.test(base) ? base : streamSafe(base).normalize('NFKC').replace(INVISIBLE, '')).toLowerCase();
}
const PLAIN = /^[!-~]*$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\s/gu;
