/**
 * Levels of rules, and what each grants.
 */

/**
 * The levels, weakest first. Of two rules about the same thing the higher counts, so that one denial outweighs any number of grants; below
 * a denial, a level grants what is no higher than itself.
 */
const RANKS = { read: 1, list: 2, write: 3, deny: 4 } as const

export type Level = keyof typeof RANKS

export const LEVELS: readonly Level[] = ['read', 'list', 'write', 'deny']

export type Rank = (typeof RANKS)[Level]

export const { write: WRITE, deny: DENY } = RANKS

export const rankOf = (level: Level): Rank => RANKS[level]

/** The level of a text in any case. */
export function levelOf(text: string): Level | undefined {
  const level = text.toLowerCase()
  return Object.hasOwn(RANKS, level) ? (level as Level) : undefined
}

export const isGrantedBy = (rank: Rank, needed: Rank): boolean => rank !== DENY && rank >= needed
