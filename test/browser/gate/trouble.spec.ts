import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium.js';
import { Stage } from './stage.js';
import { SURROUNDINGS, surroundingsSuite } from './surroundings.suite.js';
import { troubleSuite } from './trouble.suite.js';

/** On a service of its own, whose database stops and whose queues are refused. */
describeInChromium('The dashboard of a service in trouble', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open(SURROUNDINGS);
    await stage.owner.page.goto(await stage.loginLink());
    await stage.owner.heading().waitFor();
  });
  afterEach(() => expect(stage.chromium.takeProblems()).toEqual([]));
  afterAll(() => stage?.close());

  describe('outside of it', () => surroundingsSuite(() => stage));
  describe('of its own', () => troubleSuite(() => stage));
});
