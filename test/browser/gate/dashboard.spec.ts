import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium.js';
import { accessibleSuite } from './accessible.suite.js';
import { analystSuite } from './analyst.suite.js';
import { firstMessageSuite } from './first-message.suite.js';
import { graphiqlSuite } from './graphiql.suite.js';
import { hostileMessagesSuite } from './hostile-messages.suite.js';
import { keyboardSuite } from './keyboard.suite.js';
import { listsSuite } from './lists.suite.js';
import { pagesSuite } from './pages.suite.js';
import { peopleSuite } from './people.suite.js';
import { ratesSuite } from './rates.suite.js';
import { readingSuite } from './reading.suite.js';
import { refusalsSuite } from './refusals.suite.js';
import { Stage } from './stage.js';

describeInChromium('The dashboard in Chromium', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open({ PENALTY_POOL: '127.0.0.9=penalty.example.org' });
  });
  afterEach(() => expect(stage.chromium.takeProblems()).toEqual([]));
  afterAll(() => stage?.close());

  describe('at the first start', () => firstMessageSuite(() => stage));
  describe('in use', () => pagesSuite(() => stage));
  describe('in lists', () => listsSuite(() => stage));
  describe('with outcomes', () => ratesSuite(() => stage));
  describe('in reading', () => readingSuite(() => stage));
  describe('refusing values', () => refusalsSuite(() => stage));
  describe('beside GraphiQL', () => graphiqlSuite(() => stage));
  describe('for an analyst', () => analystSuite(() => stage));
  describe('by the keyboard alone', () => keyboardSuite(() => stage));
  describe('to everybody', () => accessibleSuite(() => stage));
  describe('of several people', () => peopleSuite(() => stage));
  describe('with a hostile message', () => hostileMessagesSuite(() => stage));
});
