/** The stored form of entries: JSON in which integers keep all digits. */
import { fromUtf8, toUtf8 } from '../../core/base/bytes.ts'
import { toUtf8Steps } from '../../core/base/long-text.ts'
import { deepFreeze, deepFreezeSteps } from '../../core/base/state.ts'
import type { Steps } from '../../core/base/steps.ts'
import { parseJson, parseJsonNow } from '../../core/json/json.ts'
import { isSmall } from '../../core/json/json-size.ts'
import { jsonText, jsonTextSteps } from '../../core/json/json-text.ts'
import type { NormalizedEntry } from './kind.ts'

/** An entry with its indexes. */
export interface StoredEntry extends NormalizedEntry {
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/**
 * Marks an entry that contains integers which a double would round. Entries without the mark are parsed by `JSON.parse`, which is several
 * times faster.
 */
const EXACT = 0x20

/** The encoded forms of long entries. {@link preparedEntry} computes them before the write, so that other work can run in between. */
const encoded = new WeakMap<StoredEntry, Uint8Array>()

/** Encodes an entry in advance, so that writing it does not block the event loop. The entry must not change afterwards. */
export function* preparedEntry(entry: StoredEntry): Steps<StoredEntry> {
  if (isSmall(entry)) return entry
  yield* deepFreezeSteps(entry)
  yield
  encoded.set(entry, encodeNow(entry) ?? (yield* toUtf8Steps(String.fromCharCode(EXACT) + (yield* jsonTextSteps(entry)))))
  return entry
}

/** Encodes an entry of the maximum size in 10 ms. Undefined if the entry contains bigints, which `JSON.stringify` does not support. */
function encodeNow(entry: StoredEntry): Uint8Array | undefined {
  try {
    return toUtf8(JSON.stringify(entry))
  } catch {
    return undefined
  }
}

export function encodeEntry(entry: StoredEntry): Uint8Array {
  return encoded.get(entry) ?? encodeNow(entry) ?? toUtf8(String.fromCharCode(EXACT) + jsonText(entry))
}

export const decodeEntry = (bytes: Uint8Array): StoredEntry =>
  deepFreeze((bytes[0] === EXACT ? parseJsonNow(bytes) : JSON.parse(fromUtf8(bytes))) as StoredEntry)

/** Returns the same entry as {@link decodeEntry}, but decodes it in steps. */
export function* decodeEntrySteps(bytes: Uint8Array): Steps<StoredEntry> {
  return yield* deepFreezeSteps((yield* parseJson(bytes)) as StoredEntry)
}
