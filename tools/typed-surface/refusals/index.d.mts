export const REFUSALS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
