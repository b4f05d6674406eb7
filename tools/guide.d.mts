export function writeGuide(from: string, to: string): void;
export function renderPage(text: string, names: ReadonlySet<string>): string;
