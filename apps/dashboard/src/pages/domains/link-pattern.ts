/** A pattern as the service takes it: an address that was copied from a browser begins with a scheme. */
export const withoutScheme = (pattern: string): string => pattern.trim().replace(/^https?:\/\//i, '');
