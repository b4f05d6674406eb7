export function pythonWithPackages(): Promise<string>;
