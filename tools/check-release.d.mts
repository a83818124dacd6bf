export function releaseProblems(manifest: Record<string, unknown>): string[]
export function ownerProblems(text: string): string[]
