/** The names of a type of file. */
export interface TypeNames {
  /** The canonical MIME type. */
  mime: string;
  /** The usual one first. */
  extensions: readonly [string, ...string[]];
  /** Other names of the type. Names that differ by `x-` or use subtype or extension after `application/` follow by themselves. */
  aliases: readonly string[];
  /** Canonical names of types that are more general, under which programs send files of this one. */
  general: readonly string[];
}

interface OtherNames {
  aliases?: readonly string[];
  general?: readonly string[];
}

const type = (mime: string, extensions: string, { aliases = [], general = [] }: OtherNames = {}): TypeNames => ({
  mime,
  extensions: extensions.split(' ') as [string, ...string[]],
  aliases,
  general,
});

const OFFICE = [
  'application/vnd.ms-office',
  'application/vnd.openxmlformats',
  'application/vnd.openxmlformats-officedocument',
];
const EXCEL = 'application/vnd.ms-excel';

/** Names of the ten types that are always allowed, by their usual extension. */
export const TEN_TYPES = {
  pdf: type('application/pdf', 'pdf', { aliases: ['application/acrobat', 'application/vnd.pdf', 'image/pdf'] }),
  png: type('image/png', 'png', { aliases: ['image/citrix-png', 'image/vnd.mozilla.apng'] }),
  jpeg: type('image/jpeg', 'jpg jpeg jpe jfif pjpeg pjp jif jfi', { aliases: ['image/pipeg', 'image/citrix-jpeg'] }),
  gif: type('image/gif', 'gif', { aliases: ['image/citrix-gif'] }),
  webp: type('image/webp', 'webp'),
  txt: type('text/plain', 'txt text log', { aliases: ['text/anytext', 'text/ascii'] }),
  csv: type('text/csv', 'csv', {
    aliases: ['text/comma-separated-values', 'application/comma-separated-values'],
    general: ['text/plain', 'text/tab-separated-values', EXCEL],
  }),
  xlsx: type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx', {
    general: ['application/zip', EXCEL, ...OFFICE],
  }),
  docx: type('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx', {
    general: ['application/zip', 'application/msword', ...OFFICE],
  }),
  zip: type('application/zip', 'zip', {
    aliases: ['application/zip-compressed', 'application/s-compressed', 'multipart/zip'],
    general: ['application/x-compressed', 'application/x-compress'],
  }),
} as const;

const ZIPPED = { general: ['application/zip'] };
const TEXT = { general: ['text/plain'] };

/** Types that mail commonly carries beside the ten. */
const FURTHER_TYPES: readonly TypeNames[] = [
  type('application/msword', 'doc dot', {
    aliases: ['application/vnd.ms-word', 'application/vnd.msword'],
    general: OFFICE,
  }),
  type(EXCEL, 'xls xlt', {
    aliases: ['application/excel', 'application/msexcel', 'application/vnd.msexcel', 'application/dos_ms_excel'],
    general: OFFICE,
  }),
  type('application/vnd.ms-powerpoint', 'ppt pps', {
    aliases: ['application/powerpoint', 'application/mspowerpoint'],
    general: OFFICE,
  }),
  type('application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx', {
    general: ['application/zip', 'application/vnd.ms-powerpoint', ...OFFICE],
  }),
  type('application/vnd.oasis.opendocument.text', 'odt', ZIPPED),
  type('application/vnd.oasis.opendocument.spreadsheet', 'ods', ZIPPED),
  type('application/vnd.oasis.opendocument.presentation', 'odp', ZIPPED),
  type('application/epub+zip', 'epub', ZIPPED),
  type('application/vnd.apple.pkpass', 'pkpass', ZIPPED),
  type('application/rtf', 'rtf', { aliases: ['text/richtext'], ...TEXT }),
  type('application/xml', 'xml', TEXT),
  type('application/json', 'json', TEXT),
  type('application/yaml', 'yaml yml', TEXT),
  type('message/rfc822', 'eml', TEXT),
  type('text/calendar', 'ics ical ifb icalendar', { aliases: ['text/vcalendar'], ...TEXT }),
  type('text/vcard', 'vcf vcard', { aliases: ['text/directory'], ...TEXT }),
  type('text/markdown', 'md markdown', TEXT),
  type('text/html', 'html htm', TEXT),
  type('text/tab-separated-values', 'tsv tab', { general: ['text/plain', 'text/csv', EXCEL] }),
  type('image/svg+xml', 'svg', { aliases: ['image/svg-xml'], general: ['application/xml', 'text/plain'] }),
  type('image/tiff', 'tif tiff'),
  type('image/bmp', 'bmp dib', { aliases: ['image/ms-bmp', 'image/windows-bmp'] }),
  type('image/heic', 'heic'),
  type('image/heif', 'heif'),
  type('image/avif', 'avif'),
  type('audio/mpeg', 'mp3 mpga', { aliases: ['audio/mpeg3', 'audio/mpg'] }),
  type('audio/mp4', 'm4a', { general: ['video/mp4'] }),
  type('audio/aac', 'aac'),
  type('audio/ogg', 'ogg oga opus', { general: ['application/ogg'] }),
  type('audio/wav', 'wav', { aliases: ['audio/wave', 'audio/vnd.wave', 'audio/pn-wav'] }),
  type('video/mp4', 'mp4 m4v'),
  type('video/mpeg', 'mpg mpeg mpe'),
  type('video/quicktime', 'mov qt'),
  type('video/webm', 'webm'),
  type('application/gzip', 'gz', { aliases: ['application/gzip-compressed', 'application/gunzip'] }),
  type('application/x-tar', 'tar'),
  type('application/x-7z-compressed', '7z'),
  type('application/vnd.rar', 'rar', { aliases: ['application/rar-compressed'] }),
];

const ALL_TYPES: readonly TypeNames[] = [...Object.values(TEN_TYPES), ...FURTHER_TYPES];

/** Names of content of unknown type (RFC 2046 §4.5.1), and names by which programs make a browser save a file. */
const UNSPECIFIC = new Set([
  ...['octet-stream', 'octetstream', 'binary', 'unknown', 'download', 'force-download', 'save', 'file'].map(
    (name) => `application/${name}`,
  ),
  ...['binary/octet-stream', 'unknown/unknown', 'content/unknown', 'unknown/octet-stream'],
]);
export const UNKNOWN_TYPE = 'application/octet-stream';

/** Lower case without `x-`, which does not make another type (RFC 6648). */
const plainName = (mime: string): string => mime.toLowerCase().replace('/x-', '/');

/** True if the name says nothing about the type. */
export const isUnspecific = (mime: string): boolean => mime === '' || UNSPECIFIC.has(plainName(mime));

/** Canonical names have precedence over aliases, and these over the names that follow by themselves. */
const CANONICAL = new Map<string, string>(
  [
    ...ALL_TYPES.flatMap((known) =>
      [known.mime, ...known.aliases].map((name) => [plainName(name), known.mime] as const),
    ),
    ...ALL_TYPES.flatMap((known) => derivedNames(known).map((name) => [name, known.mime] as const)),
  ].toReversed(),
);

/** `text/pdf`, `application/csv`, `image/jpg`, `audio/m4a`: the type's own or a common top-level type, and each short name. */
function derivedNames({ mime, extensions }: TypeNames): string[] {
  const [top, subtype] = plainName(mime).split('/');
  const tops = top === 'audio' || top === 'video' ? [top, 'application'] : [top, 'application', 'text'];
  return tops.flatMap((name) => [subtype, ...extensions].map((short) => `${name}/${short}`));
}

/** The canonical name of a type; the given name in lower case if the type is not known. */
export const canonicalType = (mime: string): string => CANONICAL.get(plainName(mime)) ?? mime.toLowerCase();

const BY_EXTENSION = new Map(ALL_TYPES.flatMap((known) => known.extensions.map((extension) => [extension, known])));

/** Undefined for an extension that is not known. */
export const namesByExtension = (extension: string): TypeNames | undefined => BY_EXTENSION.get(extension);
