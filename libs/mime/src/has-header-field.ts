/** By name; few are asked for. */
const fields = new Map<string, RegExp>();

/** Whether the header block of a message with CRLF line ends has a field of this name, however its letters are written. */
export function hasHeaderField(message: Buffer, name: string): boolean {
  const blank = message.indexOf('\r\n\r\n');
  const head = message.toString('latin1', 0, blank < 0 ? message.length : blank);
  let field = fields.get(name);
  if (field === undefined) fields.set(name, (field = new RegExp(`^${name}[ \\t]*:`, 'im')));
  return field.test(head);
}
