/** Capabilities as bits of a number. */

/** Everything that a rule can grant, and `deny`. */
export const CAPABILITY_BITS = {
  create: 1,
  read: 2,
  update: 4,
  delete: 8,
  list: 16,
  patch: 32,
  sudo: 64,
  deny: 128,
} as const

export type CapabilityName = keyof typeof CAPABILITY_BITS

/** A sum of {@link CAPABILITY_BITS}. A set with `deny` has no other bit. */
export type CapabilitySet = number

/** In the order in which sets are shown. */
const SORTED = Object.entries(CAPABILITY_BITS).sort(([a], [b]) => (a < b ? -1 : 1)) as readonly [CapabilityName, number][]

/** The sorted names of a set. The empty set grants nothing and is shown as `["deny"]`. */
export function capabilityNames(set: CapabilitySet): readonly CapabilityName[] {
  const names = SORTED.filter(([, bit]) => (set & bit) !== 0).map(([name]) => name)
  return names.length === 0 ? ['deny'] : names
}
