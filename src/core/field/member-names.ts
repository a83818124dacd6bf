/** The names under which the members of a record may be sent. */
import { memberNames, memberOf } from '../json/wide-object.ts'

export interface OtherNames {
  /** Aliases of members, each with the member's name. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Names that may be sent although no member has them. Their values are ignored. */
  readonly ignores?: readonly string[] | undefined
}

/**
 * Names match in any case. If several match one member, an exact name takes precedence over the same name in another case, and both over an
 * alias.
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
   * The members that were sent, under their declared names.
   * @param unknown Called with each name that belongs to no member.
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
