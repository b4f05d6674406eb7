import { describe, expect, it } from 'vitest';
import { toPage } from './page.js';

const view = { id: (row: number) => `em_${row}`, present: (row: number) => row };

describe('toPage', () => {
  it('has at most `limit` entries, and the last one is the cursor', () => {
    expect(toPage({ limit: 2 }, [9, 8, 7], view)).toEqual({
      object: 'list',
      has_more: true,
      data: [9, 8],
      next_cursor: 'em_8',
    });
  });

  it('has no cursor on the last page', () => {
    expect(toPage({ limit: 3, after: 'em_10' }, [9, 8, 7], view)).toMatchObject({ has_more: false, next_cursor: null });
    expect(toPage({ limit: 3 }, [], view)).toMatchObject({ has_more: false, data: [], next_cursor: null });
  });

  it('reverses rows that were read backwards, and its cursor continues in that direction', () => {
    expect(toPage({ limit: 2, before: 'em_6' }, [7, 8, 9], view)).toEqual({
      object: 'list',
      has_more: true,
      data: [8, 7],
      next_cursor: 'em_8',
    });
  });
});
