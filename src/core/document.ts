/**
 * Documents that are kept as their JSON text: read for an operation, at once where they are short, else in pieces that give way.
 * Room: core. Imported by engines that keep documents, and by wrapping.
 */
import { toUtf8 } from './bytes.ts'
import { SLICE_BYTES, type Steps } from './crypto/backend.ts'
import { isSmall } from './json-size.ts'
import { jsonText, jsonTextSteps } from './json-text.ts'
import { toUtf8Steps } from './long-text.ts'
import { parseJson, parseJsonNow } from './request/json.ts'
import type { Tx } from './transaction/tx.ts'

export type Document = Readonly<Record<string, unknown>>

const isShort = (text: string): boolean => text.length <= SLICE_BYTES

/**
 * The value of a text.
 * @param name Of this document among what the run takes steps for.
 */
export const readDocument = (tx: Tx, text: string, name: string): Document =>
  isShort(text) ? (parseJsonNow(toUtf8(text)) as Document) : tx.steps(`read ${name}`, () => documentSteps(text), 'attempt')

/** {@link readDocument} for work of which reading is a part. */
export function* documentSteps(text: string): Steps<Document> {
  return (yield* parseJson(isShort(text) ? toUtf8(text) : yield* toUtf8Steps(text))) as Document
}

/** The text of a document that this run made. */
export const writeDocument = (tx: Tx, document: object, name: string): string =>
  isSmall(document) ? jsonText(document) : tx.steps(`write ${name}`, () => jsonTextSteps(document), 'attempt')
