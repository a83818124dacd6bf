export const EXAMPLE_FUNCTIONS: string
export function exampleFunctions(examples: ReadonlyMap<string, string>): string
