/**
 * An ordered set of strings. The strings are in blocks of a few hundred, so that an insertion moves a few hundred entries and not a
 * million.
 */

const MAX_BLOCK_KEYS = 512
const MIN_BLOCK_KEYS = 64

export interface SortedKeys {
  /** Returns false if the key was already present. */
  add(key: string): boolean
  delete(key: string): boolean
  /**
   * Iterates in ascending order, starting at the first key for which `before` returns false. `before` must return true for all keys up to
   * some key and false for all later keys. The set must not change during the iteration.
   */
  from(before: (key: string) => boolean): Iterable<string>
  /** The first key that `from(before)` would yield. */
  first(before: (key: string) => boolean): string | undefined
  /** The last key for which `before` returns true. */
  last(before: (key: string) => boolean): string | undefined
}

/** Index of the first item for which `before` is false, or the length. */
function firstIndex<T>(items: readonly T[], before: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (before(items[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}

/** An empty set ordered by `<` on strings. */
export function sortedKeys(): SortedKeys {
  const blocks: string[][] = []

  const locate = (before: (key: string) => boolean): { at: number; within: number } => {
    const at = firstIndex(blocks, (block) => before(block[block.length - 1]!))
    const block = blocks[at]
    return { at, within: block ? firstIndex(block, before) : 0 }
  }

  function* from(before: (key: string) => boolean): Iterable<string> {
    let { at, within } = locate(before)
    for (; at < blocks.length; at++, within = 0) {
      const block = blocks[at]!
      for (let i = within; i < block.length; i++) yield block[i]!
    }
  }

  return {
    add(key) {
      let { at, within } = locate((other) => other < key)
      if (at === blocks.length) {
        if (at === 0) {
          blocks.push([key])
          return true
        }
        at--
        within = blocks[at]!.length
      }
      const block = blocks[at]!
      if (block[within] === key) return false
      block.splice(within, 0, key)
      // When keys are inserted in ascending order, splitting at the end leaves full blocks.
      if (block.length > MAX_BLOCK_KEYS) {
        const split = within === block.length - 1 ? block.length - 1 : block.length >>> 1
        blocks.splice(at + 1, 0, block.splice(split))
      }
      return true
    },
    delete(key) {
      const { at, within } = locate((other) => other < key)
      const block = blocks[at]
      if (block?.[within] !== key) return false
      block.splice(within, 1)
      const next = blocks[at + 1]
      if (block.length === 0) blocks.splice(at, 1)
      else if (next && block.length + next.length < MIN_BLOCK_KEYS) blocks.splice(at, 2, [...block, ...next])
      return true
    },
    from,
    first(before) {
      const { at, within } = locate(before)
      return blocks[at]?.[within]
    },
    last(before) {
      const { at, within } = locate(before)
      return within > 0 ? blocks[at]![within - 1] : blocks[at - 1]?.at(-1)
    },
  }
}
