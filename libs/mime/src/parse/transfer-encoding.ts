const LF = 0x0a;
const CR = 0x0d;
const EQUALS = 0x3d;

/** The value of each octet as a hexadecimal digit; -1 where it is not one. */
const HEX = Int8Array.from({ length: 256 }, (_, octet) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(octet).toLowerCase()),
);

/** Decodes a `Content-Transfer-Encoding` (RFC 2045 §6). Unknown encodings and invalid sequences stay as they are. */
export function decodeTransferEncoding(body: Buffer, encoding: string): Buffer {
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(body.toString('latin1'), 'base64');
    case 'quoted-printable':
      return decodeQuotedPrintable(body);
    default:
      return body;
  }
}

/** RFC 2045 §6.7. An equals sign without two hexadecimal digits after it stays. */
export function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    const octet = body[at];
    if (octet !== EQUALS) {
      decoded[length++] = octet;
      continue;
    }
    const next = body[at + 1];
    if (next === CR && body[at + 2] === LF) at += 2;
    else if (next === LF) at += 1;
    else {
      const high = HEX[next] ?? -1;
      const low = HEX[body[at + 2]] ?? -1;
      const broken = high < 0 || low < 0;
      decoded[length++] = broken ? EQUALS : high * 16 + low;
      if (!broken) at += 2;
    }
  }
  return decoded.subarray(0, length);
}
