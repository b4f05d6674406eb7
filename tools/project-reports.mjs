// A reporter of vitest: writes .tools/reports/<project>.json for each project of the run.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonReporter } from 'vitest/node';

export const REPORTS = fileURLToPath(new URL('../.tools/reports', import.meta.url));

export default class ProjectReports {
  onInit(vitest) {
    this.reports = vitest.projects.map(({ name }) => {
      const reporter = new JsonReporter({ outputFile: join(REPORTS, `${name}.json`) });
      reporter.onInit(vitest);
      return { name, reporter };
    });
  }

  async onTestRunEnd(modules) {
    for (const { name, reporter } of this.reports)
      await reporter.onTestRunEnd(modules.filter(({ project }) => project.name === name));
  }
}
