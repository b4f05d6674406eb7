/** Returns the folder with `initdb` and `postgres`; fetches the server unless it is there. */
export function fetchPostgres(major: 13 | 14 | 16 | 17 | 18): Promise<string>;
