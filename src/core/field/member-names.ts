/** Finds the members of an object under all the names that a request may use for them. */
import { memberNames, memberOf } from '../json/wide-object.ts'

export interface OtherNames {
  /** The aliases, each mapped to the declared name of the member. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Names that a request may contain although they belong to no member. Their values are ignored. */
  readonly ignores?: readonly string[] | undefined
}

/**
 * Upper and lower case do not matter. If several names match the same member, the exact name takes precedence, then the same name in another
 * case, then an alias.
 */
export class MemberNames {
  readonly #own: ReadonlyMap<string, string>
  readonly #aliases: ReadonlyMap<string, string>
  readonly #ignores: ReadonlySet<string>

  constructor(names: readonly string[], { aliases = {}, ignores = [] }: OtherNames = {}) {
    this.#own = new Map(names.map((name) => [name.toLowerCase(), name]))
    this.#aliases = new Map(Object.entries(aliases).map(([alias, name]) => [alias.toLowerCase(), name]))
    this.#ignores = new Set(ignores.map((name) => name.toLowerCase()))
  }

  /**
   * Returns the members that were sent, under their declared names.
   * @param unknown Called with each sent name that belongs to no member.
   */
  sent(object: object, unknown: (name: string) => void): Readonly<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    const ranks: Record<string, number> = {}
    for (const name of memberNames(object)) {
      const lower = name.toLowerCase()
      const own = this.#own.get(lower)
      const member = own ?? this.#aliases.get(lower)
      const rank = name === own ? 3 : own === undefined ? 1 : 2
      if (member === undefined) {
        if (!this.#ignores.has(lower)) unknown(name)
      } else if (rank >= (ranks[member] ?? 0)) {
        ranks[member] = rank
        found[member] = memberOf(object, name)
      }
    }
    return found
  }
}
