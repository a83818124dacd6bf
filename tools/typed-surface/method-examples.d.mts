export function methodExamples(root: string): ReadonlyMap<string, string>
