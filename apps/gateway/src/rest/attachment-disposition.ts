/**
 * The header that makes a browser save a file under its name (RFC 6266 §4.1): a name in ASCII for old readers, and the
 * whole of it in UTF-8.
 */
export function attachmentDisposition(filename: string): string {
  const name = filename.replace(/[\p{Cc}\p{Cs}/\\]/gu, '_') || 'attachment';
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
