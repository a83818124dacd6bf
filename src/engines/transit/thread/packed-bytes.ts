/**
 * Many byte strings in one buffer, because a message to a thread with one buffer costs a fraction of a message with a buffer for each string.
 */

export interface PackedBytes {
  /** The concatenated strings, in a buffer that contains nothing else and can be transferred. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The end offset of each string. */
  readonly ends: Uint32Array
}

/**
 * Packs one byte string per item. Returns undefined if all strings are empty.
 * @param partOfItem Returns the string of an item. Called twice per item.
 */
export function packBytes<I>(items: readonly I[], partOfItem: (item: I) => Uint8Array | undefined): PackedBytes | undefined {
  let size = 0
  for (const item of items) size += partOfItem(item)?.length ?? 0
  if (size === 0) return undefined
  const bytes = new Uint8Array(size)
  const ends = new Uint32Array(items.length)
  let at = 0
  for (let index = 0; index < items.length; index++) {
    const part = partOfItem(items[index] as I)
    if (part) {
      bytes.set(part, at)
      at += part.length
    }
    ends[index] = at
  }
  return { bytes, ends }
}

/** Returns a view of the string with the given index. */
export function partOf(packed: PackedBytes | undefined, index: number): Uint8Array {
  if (!packed) return EMPTY_PART
  return packed.bytes.subarray(index === 0 ? 0 : packed.ends[index - 1], packed.ends[index])
}

const EMPTY_PART = /* @__PURE__ */ new Uint8Array(0)

/** Whether the value has exactly `count` strings. */
export function isPacked(value: PackedBytes | undefined, count: number): boolean {
  if (value === undefined) return true
  const { bytes, ends } = value
  if (!(bytes instanceof Uint8Array && ends instanceof Uint32Array) || ends.length !== count) return false
  let before = 0
  for (const end of ends) {
    if (end < before) return false
    before = end
  }
  return before === bytes.length
}
