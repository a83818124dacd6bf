/**
 * Finds the rule that applies to a name.
 *
 * The names in the table are sorted. The neighbor of a name is the last name in the table that is not greater than the name. If a prefix of
 * the name is in the table, it is also a prefix of the neighbor. So one binary search, followed by a walk along the prefixes of the neighbor,
 * finds the longest prefix.
 */
import { Pace, type Steps } from '../../core/base/steps.ts'
import { DENY, isGrantedBy, type Rank, WRITE } from './level.ts'
import type { NameRulings, Ruling } from './ruling.ts'

const NAME_MICROSECONDS = 1

/** The value in `#covering` and `#unwritable` for a name for which they have no index. */
const NONE = -1

/** The rules for one kind of resource. Immutable. */
export class NameTable {
  readonly #names: readonly NameRulings[]
  /** For each name, the index of the longest other name that has a prefix rule and is a prefix of this name. */
  readonly #covering: Int32Array
  /** For each name, the index of the first name at or after it in the sort order that has a rule with another level than `write`. */
  readonly #unwritable: Int32Array
  /** Keyed by rank: the first ruling with that rank in the order of names. */
  readonly #byRank: readonly (Ruling | undefined)[]

  constructor(
    names: readonly NameRulings[],
    covering: Int32Array,
    unwritable: Int32Array,
    byRank: readonly (Ruling | undefined)[],
  ) {
    this.#names = names
    this.#covering = covering
    this.#unwritable = unwritable
    this.#byRank = byRank
  }

  /** Returns the exact rule, or else the rule for the longest prefix. */
  find(name: string): Ruling | undefined {
    const at = this.#lastNotAfter(name)
    const ruled = this.#names[at]
    if (ruled?.name === name && ruled.exact) return ruled.exact
    return this.#coveringRule(name, at)
  }

  /**
   * Returns the rule that decides whether all names with a prefix are writable: the first rule that is not `write`, among the rule that
   * covers the prefix and the rules for names that begin with the prefix. If all of them are `write`, returns the covering rule.
   */
  findTree(prefix: string): Ruling | undefined {
    const at = this.#lastNotAfter(prefix)
    const covering = this.#coveringRule(prefix, at)
    if (isUnwritable(covering)) return covering
    const first = this.#names[at]?.name === prefix ? at : at + 1
    const below = this.#names[this.#unwritable[first] ?? NONE]
    if (!below?.name.startsWith(prefix)) return covering
    return isUnwritable(below.exact) ? below.exact : below.prefix
  }

  /** Returns the rule that decides whether any name is accessible: a rule that grants the level, or else the rule for the empty prefix. */
  findAny(needed: Rank): Ruling | undefined {
    return this.#byRank.find((ruling) => ruling && isGrantedBy(ruling.rank, needed)) ?? this.#everyName
  }

  /**
   * Returns the rule that decides whether all names are accessible: a rule that does not grant the level, or else the rule for the empty
   * prefix.
   */
  findAll(needed: Rank): Ruling | undefined {
    return this.#byRank.find((ruling) => ruling && !isGrantedBy(ruling.rank, needed)) ?? this.#everyName
  }

  get #everyName(): Ruling | undefined {
    const [first] = this.#names
    return first?.name === '' ? first.prefix : undefined
  }

  #lastNotAfter(name: string): number {
    let low = 0
    let high = this.#names.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#names[middle] as NameRulings).name <= name) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** @param at The index of the last name that is not greater than `name`. */
  #coveringRule(name: string, at: number): Ruling | undefined {
    const neighbour = this.#names[at]
    if (!neighbour) return undefined
    const common = commonLength(neighbour.name, name)
    for (let i = at; i !== NONE; i = this.#covering[i] as number) {
      const { name: prefix, prefix: ruling } = this.#names[i] as NameRulings
      if (ruling && prefix.length <= common) return ruling
    }
    return undefined
  }
}

const isUnwritable = (ruling: Ruling | undefined): boolean => ruling !== undefined && ruling.rank !== WRITE

function commonLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

/** @param names Sorted and without duplicates. */
export function* buildNameTable(names: readonly NameRulings[]): Steps<NameTable> {
  const pace = new Pace()
  const covering = new Int32Array(names.length)
  const unwritable = new Int32Array(names.length)
  const byRank = Array<Ruling | undefined>(DENY + 1).fill(undefined)
  // A stack of the preceding names that are prefixes of the current name and have a prefix rule; the longest is last.
  const open: number[] = []
  for (const [i, { name, exact, prefix }] of names.entries()) {
    while (open.length > 0 && !name.startsWith((names[open.at(-1) as number] as NameRulings).name)) open.pop()
    covering[i] = open.at(-1) ?? NONE
    if (prefix) open.push(i)
    for (const ruling of [exact, prefix]) if (ruling) byRank[ruling.rank] ??= ruling
    if (pace.spend(NAME_MICROSECONDS)) yield
  }
  // The loop is fast enough to run without a pause.
  let next = NONE
  for (let i = names.length - 1; i >= 0; i--) {
    const { exact, prefix } = names[i] as NameRulings
    if (isUnwritable(exact) || isUnwritable(prefix)) next = i
    unwritable[i] = next
  }
  return new NameTable(names, covering, unwritable, byRank)
}
