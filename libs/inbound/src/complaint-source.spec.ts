import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { ReturnPath, type TransactionRef } from '#libs/emails';
import { loadConfig } from '#libs/kernel';
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

const named: TransactionRef = { emailId: id, ordinal: 2, alone: false };

const source = (returned: Partial<Feedback['returned']>, tokens: TransactionRef[] = []) =>
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
  it('accepts every source with a MAC', () => {
    expect(source({ trace: returnPath.trace(named) })).toEqual(named);
    expect(source({ returnPath: returnPath.address(named).toUpperCase() })).toEqual(named);
    expect(source({}, [named])).toEqual(named);
    expect(source({ trace: returnPath.trace(named), messageId: `<${newId('em').slice(3)}@a.example>` })).toEqual(named);
  });

  it('ignores tokens of another service', () => {
    expect(source({ trace: foreign.trace(named), returnPath: foreign.address(named) })).toBe('unknown');
    expect(source({ trace: foreign.trace(named), returnPath: returnPath.address(named) })).toMatchObject({
      ordinal: 2,
    });
  });

  it('does not choose between two emails', () => {
    const trace = returnPath.trace(named);
    expect(source({ trace, returnPath: returnPath.address({ ...named, emailId: newId('em') }) })).toBe('contradictory');
    expect(source({ trace }, [{ ...named, ordinal: 3 }])).toBe('contradictory');
  });

  it('ignores the Message-ID, which is not secret', () => {
    expect(source({ messageId: `<${hex}@sender.example>` })).toBe('unknown');
  });
});
