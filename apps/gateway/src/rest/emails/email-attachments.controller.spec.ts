import { describe, expect, it } from 'vitest';
import { attachmentDisposition } from './email-attachments.controller.js';

describe('attachmentDisposition', () => {
  it('contains an ASCII name and the complete name', () => {
    expect(attachmentDisposition('Übersicht (1).pdf')).toBe(
      `attachment; filename="_bersicht (1).pdf"; filename*=UTF-8''%C3%9Cbersicht%20%281%29.pdf`,
    );
  });

  it('escapes names that would break the header or contain a path', () => {
    expect(attachmentDisposition('a"; x="\r\nset-cookie: b/../c\\d')).toBe(
      `attachment; filename="a_; x=___set-cookie: b_.._c_d"; filename*=UTF-8''a%22%3B%20x%3D%22__set-cookie%3A%20b_.._c_d`,
    );
    expect(attachmentDisposition('\ud800')).toBe(`attachment; filename="_"; filename*=UTF-8''_`);
    expect(attachmentDisposition('')).toBe(`attachment; filename="attachment"; filename*=UTF-8''attachment`);
  });
});
