import { describe, expect, it } from 'vitest';
import { choice, column, flag, id, integer, kind, text, time } from './fields.js';
import { writtenFields } from './field.js';
import { resource } from './resource.js';

const anything = () => [];
const internal = { account_id: column<string>() };
const base = { name: 'Box', about: 'A box.', table: 'boxes', internal };

const box = resource({
  ...base,
  fields: {
    id: id('dom').stored(),
    object: kind('box'),
    label: text('The label', 'Tools').stored().editable(anything),
    is_open: flag('Whether it is open', false).stored().settable(anything),
    depth: integer('The depth', null).orNull().storedAs('depth_cm').settable(anything),
    opened_at: time('When it was opened').orNull().stored(),
    region: text('Where it is', 'eu'),
  },
});
const row = {
  id: 'dom_1',
  account_id: 'acc_1',
  label: 'Tools',
  is_open: true,
  depth_cm: null,
  opened_at: new Date('2026-01-31T09:30:00Z'),
};

describe('a resource', () => {
  it('lists the columns of its rows by name', () => {
    expect(box.columns).toBe('id, label, is_open, depth_cm, opened_at, account_id');
  });

  it('shows a row in the order of its fields, with computed values and without internal columns', () => {
    expect(Object.entries(box.toView(row, { object: 'box', region: 'eu' }))).toEqual([
      ['id', 'dom_1'],
      ['object', 'box'],
      ['label', 'Tools'],
      ['is_open', true],
      ['depth', null],
      ['opened_at', '2026-01-31T09:30:00.000Z'],
      ['region', 'eu'],
    ]);
  });

  it('writes the given settings only; null is a value', () => {
    expect(box.settingsSql({ is_open: false, depth: null, label: undefined }, 3)).toEqual({
      columns: [
        ['is_open', '$3'],
        ['depth_cm', '$4'],
      ],
      values: [false, null],
    });
    expect(box.settingsSql({}, 3)).toEqual({ columns: [], values: [] });
  });

  it.each(['region', 'opened_at', 'account_id', 'id', 'constructor', '__proto__'])('refuses to write %s', (name) => {
    const changes = JSON.parse(`{"${name}":1}`) as object;
    expect(() => box.settingsSql(changes, 1)).toThrow(`Box.${name} is no setting`);
  });

  it('names the fields of requests', () => {
    expect(writtenFields(box, 'create').map(([name]) => name)).toEqual(['label']);
    expect(writtenFields(box, 'update').map(([name]) => name)).toEqual(['label', 'is_open', 'depth']);
    const reordered = resource({ ...base, fields: box.fields, lastInRequests: ['is_open', 'label'] });
    expect(writtenFields(reordered, 'update').map(([name]) => name)).toEqual(['depth', 'is_open', 'label']);
  });
});

describe('a wrong definition stops the start with the name of the field', () => {
  it.each([
    ['Box.size: a setting needs a column', { size: flag('Large', true).settable(anything) }],
    ['Box.size: the example is null, but the field is not nullable', { size: text('Size', null) }],
    ['Box.size: the example is none of the words', { size: choice(['s', 'm'], 'Size', 'l' as 's') }],
    [
      'Box.size: the rule refuses the example: it must be small',
      { size: text('Size', 'huge').given(() => [{ path: '', code: 'x', message: 'must be small' }]) },
    ],
    ['Box: two fields have the column size', { size: text('Size').stored(), other: text('Size').storedAs('size') }],
    ['Box: two fields have the column account_id', { account_id: text('Account').stored() }],
  ])('%s', (message, fields) => {
    expect(() => resource({ ...base, fields })).toThrow(message);
  });
});
