export function typedSurface(root: string, load: (module: string) => Promise<unknown>): Promise<ReadonlyMap<string, string>>
