/** The parts of a JSON report of vitest that are read. */
export interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: FileResult[];
}

export interface FileResult {
  name: string;
  status: string;
  message?: string;
  /** Milliseconds since 1970. */
  startTime: number;
  endTime: number;
  assertionResults: { status: string; ancestorTitles: string[]; title: string }[];
}

export interface ProjectResult {
  project: string;
  code: number;
  seconds: number;
  /** Null if vitest wrote none. */
  report: TestReport | null;
}

export function projectResults(projects: Pick<ProjectResult, 'project' | 'report'>[], code: number): ProjectResult[];
export function testSummary(results: ProjectResult[], root: string): string[];
export function failedRun(results: ProjectResult[]): boolean;
