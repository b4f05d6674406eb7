/**
 * The parts cannot become a valid message. The rules at the front door should have refused them, so this is the second
 * wall; `field` names the part (`subject`, `headers.X-Name`, `attachments[0].filename`).
 */
export class UnsendableMessage extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field} ${reason}`);
    this.name = 'UnsendableMessage';
  }
}
