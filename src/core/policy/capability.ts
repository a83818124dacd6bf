/** Capabilities as bits of an integer. */

/** The capabilities that a rule can grant, and `deny`. */
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

/** A set of capabilities as a sum of {@link CAPABILITY_BITS}. A set with `deny` has no other bit. */
export type CapabilitySet = number

/** The capabilities in the order in which sets are returned. */
const SORTED = Object.entries(CAPABILITY_BITS).sort(([a], [b]) => (a < b ? -1 : 1)) as readonly [CapabilityName, number][]

/** The sorted names of the capabilities in a set. The empty set grants nothing and is returned as `["deny"]`. */
export function capabilityNames(set: CapabilitySet): readonly CapabilityName[] {
  const names = SORTED.filter(([, bit]) => (set & bit) !== 0).map(([name]) => name)
  return names.length === 0 ? ['deny'] : names
}
