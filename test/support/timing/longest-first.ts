import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than their size tells, which is all that vitest knows in a new checkout: behind the others, they
 * would run alone at the end.
 */
const LONG =
  /\/(mail-parsers|request-parsers|protocol-parsers|expressions|dns-health|sink|statistics-gaps|live-clients|kill-delivery|postgresql-15|first-mail|slow-relay-clients|event-log-kafka|event-log-kafka-faults|hostile-clients|key-matrix|interface-endpoints)\.spec\.ts$/;

/** The order of vitest, with the long files of each project in front. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [true, false].flatMap((isLong) => own.filter(({ moduleId }) => LONG.test(moduleId) === isLong));
    });
  }
}
