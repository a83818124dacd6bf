/** JSON documents that are stored as text. Short documents are parsed at once, long documents with pauses for the event loop. */
import { toUtf8 } from '../base/bytes.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import { parseJson } from './json.ts'

export type Document = Readonly<Record<string, unknown>>

export const isShort = (text: string): boolean => text.length <= SLICE_BYTES

/** Parses a document as a part of other long work. Yields wherever that work may pause. */
export function* documentSteps(text: string): Steps<Document> {
  return (yield* parseJson(isShort(text) ? toUtf8(text) : yield* toUtf8Steps(text))) as Document
}
