import { describe, expect, it } from 'vitest';
import { RecentAnswers } from './recent-answers.js';

interface Question {
  key: string;
  answer: (value: string | null) => void;
  fail: (error: Error) => void;
}

function scene(limit = 10): { answers: RecentAnswers<string>; questions: Question[]; pass: (ms: number) => void } {
  let now = 0;
  const questions: Question[] = [];
  const ask = (key: string) =>
    new Promise<string | null>((answer, fail) => {
      questions.push({ key, answer, fail });
    });
  const answers = new RecentAnswers<string>({ ask, ttlMs: 800, limit, clock: () => now });
  return { answers, questions, pass: (ms) => (now += ms) };
}

describe('RecentAnswers', () => {
  it('asks once for all who ask at the same time', async () => {
    const { answers, questions } = scene();
    const all = Promise.all([answers.get('k'), answers.get('k'), answers.get('k')]);
    questions[0].answer('v');
    expect(await all).toEqual(['v', 'v', 'v']);
    expect(questions).toHaveLength(1);
  });

  it('remembers presence and absence for the lifetime, and not longer', async () => {
    const { answers, questions, pass } = scene();
    for (const value of ['v', null]) {
      const key = String(value);
      const first = answers.get(key);
      questions.at(-1)?.answer(value);
      expect(await first).toBe(value);
      const asked = questions.length;
      pass(799);
      expect(await answers.get(key)).toBe(value);
      expect(questions).toHaveLength(asked);
      pass(1);
      void answers.get(key);
      expect(questions).toHaveLength(asked + 1);
    }
  });

  it('counts the age of an answer from its question, so that a slow database makes nothing old look new', async () => {
    const { answers, questions, pass } = scene();
    const slow = answers.get('k');
    pass(900);
    const late = answers.get('k');
    expect(questions).toHaveLength(2);
    questions[1].answer('new');
    expect(await late).toBe('new');
    questions[0].answer('old');
    expect(await slow).toBe('old');
    expect(await answers.get('k')).toBe('new');
  });

  it('does not remember a failure, and everybody who waited hears of it', async () => {
    const { answers, questions } = scene();
    const both = Promise.allSettled([answers.get('k'), answers.get('k')]);
    questions[0].fail(new Error('away'));
    expect((await both).map((r) => r.status)).toEqual(['rejected', 'rejected']);
    const again = answers.get('k');
    questions[1].answer('v');
    expect(await again).toBe('v');
  });

  it('is bounded, and unknown keys cannot push out known ones', async () => {
    const { answers, questions } = scene(2);
    const learn = async (key: string, value: string | null) => {
      const got = answers.get(key);
      questions.at(-1)?.answer(value);
      await got;
    };
    await learn('a', 'A');
    await learn('b', 'B');
    for (let i = 0; i < 50; i++) await learn(`junk-${i}`, null);
    const asked = questions.length;
    expect([await answers.get('a'), await answers.get('b')]).toEqual(['A', 'B']);
    expect(questions).toHaveLength(asked);
    await learn('c', 'C');
    void answers.get('a');
    expect(questions).toHaveLength(asked + 2);
  });

  it('forgets on request, a question under way included', async () => {
    const { answers, questions } = scene();
    const first = answers.get('k');
    answers.forget('k');
    questions[0].answer(null);
    expect(await first).toBeNull();
    const second = answers.get('k');
    questions[1].answer('v');
    expect(await second).toBe('v');
  });
});
