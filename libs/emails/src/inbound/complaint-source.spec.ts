import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { ReturnPath } from '../return-path.js';
import { complaintSource, type Feedback } from './complaint-source.js';

const config = (fill: number) =>
  loadConfig('standalone', {
    MASTER_KEY: Buffer.alloc(32, fill).toString('base64'),
    SERVICE_DOMAIN: 'mail.example',
  });
const returnPath = new ReturnPath(config(7));
const foreign = new ReturnPath(config(8));
const id = newId('em');
const hex = id.slice('em_'.length);

const source = (returned: Partial<Feedback['returned']>, tokens: { emailId: string; ordinal: number }[] = []) =>
  complaintSource(
    {
      kind: 'feedback',
      feedbackType: 'abuse',
      userAgent: null,
      reporter: null,
      recipients: [],
      returned: { messageId: null, trace: null, returnPath: null, ...returned },
    },
    tokens,
    returnPath,
  );

describe('complaintSource', () => {
  it('goes by whatever has a MAC', () => {
    const named = { emailId: id, ordinal: 2 };
    expect(source({ trace: returnPath.trace(id, 2) })).toEqual(named);
    expect(source({ returnPath: returnPath.address(id, 2).toUpperCase() })).toEqual(named);
    expect(source({}, [{ emailId: id, ordinal: 2 }])).toEqual(named);
    expect(source({ trace: returnPath.trace(id, 2), messageId: `<${newId('em').slice(3)}@a.example>` })).toEqual(named);
  });

  it('takes what was made elsewhere for nothing', () => {
    expect(source({ trace: foreign.trace(id, 2), returnPath: foreign.address(id, 2) })).toBe('unknown');
    expect(source({ trace: foreign.trace(id, 2), returnPath: returnPath.address(id, 2) })).toMatchObject({
      ordinal: 2,
    });
  });

  it('does not choose between two mails', () => {
    const trace = returnPath.trace(id, 2);
    expect(source({ trace, returnPath: returnPath.address(newId('em'), 2) })).toBe('contradictory');
    expect(source({ trace }, [{ emailId: id, ordinal: 3 }])).toBe('contradictory');
  });

  it('believes no Message-ID, which anybody may know', () => {
    expect(source({ messageId: `<${hex}@sender.example>` })).toBe('unknown');
  });
});
