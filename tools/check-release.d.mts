export function releaseProblems(manifest: Record<string, unknown>): string[]
