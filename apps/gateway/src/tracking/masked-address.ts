/** Enough for its owner to recognise it, too little for whoever else opens the link: `a…@example.com`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, at);
  return `${first}…${address.slice(at)}`;
}
