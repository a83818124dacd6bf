/** JSON documents that are stored as text. Short documents are parsed in one step, long documents in slices. */
import { toUtf8 } from '../base/bytes.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import { parseJson } from './json.ts'

export type Document = Readonly<Record<string, unknown>>

export const isShort = (text: string): boolean => text.length <= SLICE_BYTES

/** Parses a document within other work, whose steps it uses for its pauses. */
export function* documentSteps(text: string): Steps<Document> {
  return (yield* parseJson(isShort(text) ? toUtf8(text) : yield* toUtf8Steps(text))) as Document
}
