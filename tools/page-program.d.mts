export const FENCES: readonly string[]
export function programOf(
  text: string,
): { readonly imports: string; readonly declarations: string; readonly body: string } | undefined
export function modulesOf(text: string): string[]
export function hasHiddenCode(text: string): boolean
export function withPrintedValues(body: string, name: string): string
export function fencesOf(text: string): string[]
export function withAbsoluteImports(page: string, code: string): string
