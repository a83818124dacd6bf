/**
 * The names under which the members of a record may be sent.
 */
import { memberOf, namesOf } from '../json/wide-object.ts'

export interface OtherNames {
  /** Other names of members: alias to name. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Names of no member that may be sent all the same, and are not looked at. */
  readonly ignores?: readonly string[] | undefined
}

/**
 * Names match in any case; a name counts for more than an alias, and the name as it is written for more than the same in another case.
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
   * The members that were sent, by the names they are declared under.
   * @param unknown Takes the names that belong to no member.
   */
  sent(object: object, unknown: (name: string) => void): Readonly<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    const ranks: Record<string, number> = {}
    for (const name of namesOf(object)) {
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
