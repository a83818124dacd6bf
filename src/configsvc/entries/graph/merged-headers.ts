/** The combined header modifiers of nested splits. */
import type { HeaderModifiers } from './graph-entries.ts'

export class MergedHeaders {
  readonly #add = new Map<string, string>()
  readonly #set = new Map<string, string>()
  readonly #remove = new Set<string>()

  /**
   * Adds the modifiers of an outer split; for the same header, the inner split takes precedence. Returns the cost of the call: the number
   * of modifiers plus 1.
   */
  add({ Add = {}, Set: set = {}, Remove = [] }: HeaderModifiers = {}): number {
    for (const name of Remove) this.#remove.add(name)
    return 1 + put(this.#add, Add) + put(this.#set, set) + Remove.length
  }

  /** Undefined if there are no modifiers. */
  get value(): HeaderModifiers | undefined {
    const value = {
      ...(this.#add.size > 0 && { Add: Object.fromEntries(this.#add) }),
      ...(this.#set.size > 0 && { Set: Object.fromEntries(this.#set) }),
      ...(this.#remove.size > 0 && { Remove: [...this.#remove] }),
    }
    return Object.keys(value).length > 0 ? value : undefined
  }
}

function put(merged: Map<string, string>, modifiers: Readonly<Record<string, string>>): number {
  const entries = Object.entries(modifiers)
  for (const [name, value] of entries) if (!merged.has(name)) merged.set(name, value)
  return entries.length
}
