/**
 * The levels of access, the weakest first. If several rules apply to the same name, the highest level wins, so one `deny` overrides all other
 * rules. Any other level includes all lower levels.
 */
const RANKS = { read: 1, list: 2, write: 3, deny: 4 } as const

export type Level = keyof typeof RANKS

export const LEVELS: readonly Level[] = ['read', 'list', 'write', 'deny']

export type Rank = (typeof RANKS)[Level]

export const { write: WRITE, deny: DENY } = RANKS

export const rankOf = (level: Level): Rank => RANKS[level]

/** Returns the level with this name, regardless of case. */
export function levelOf(text: string): Level | undefined {
  const level = text.toLowerCase()
  return Object.hasOwn(RANKS, level) ? (level as Level) : undefined
}

export const isGrantedBy = (rank: Rank, needed: Rank): boolean => rank !== DENY && rank >= needed
