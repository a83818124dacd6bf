/**
 * The stored form of entries: JSON in which no digit is lost.
 */
import { toUtf8 } from '../../core/base/bytes.ts'
import { deepFreeze } from '../../core/base/state.ts'
import { parseJsonNow } from '../../core/json/json.ts'
import { jsonText } from '../../core/json/json-text.ts'
import type { Entry } from './kind.ts'

/** What is stored with an entry. */
export interface StoredEntry extends Entry {
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const encodeEntry = (entry: StoredEntry): Uint8Array => toUtf8(jsonText(entry))

export const decodeEntry = (bytes: Uint8Array): StoredEntry => deepFreeze(parseJsonNow(bytes) as StoredEntry)
