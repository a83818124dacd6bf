/**
 * The stored form of entries: JSON in which no digit is lost.
 */
import { fromUtf8, toUtf8 } from '../../core/base/bytes.ts'
import { deepFreeze } from '../../core/base/state.ts'
import { parseJsonNow } from '../../core/json/json.ts'
import { jsonText } from '../../core/json/json-text.ts'
import type { Entry } from './kind.ts'

/** What is stored with an entry. */
export interface StoredEntry extends Entry {
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Stands in front of an entry with integers that a double would round. Native parsing, which rounds them, is many times as fast. */
const EXACT = 0x20

export function encodeEntry(entry: StoredEntry): Uint8Array {
  try {
    return toUtf8(JSON.stringify(entry))
  } catch {
    // Native serialisation fails on bigints.
    return toUtf8(String.fromCharCode(EXACT) + jsonText(entry))
  }
}

export const decodeEntry = (bytes: Uint8Array): StoredEntry =>
  deepFreeze((bytes[0] === EXACT ? parseJsonNow(bytes) : JSON.parse(fromUtf8(bytes))) as StoredEntry)
