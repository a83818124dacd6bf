/** JSON documents stored as strings. A short document is parsed at once, a long document with pauses for the event loop. */
import { toUtf8 } from '../base/bytes.ts'
import { type Document, documentSteps, isShort } from '../json/document.ts'
import { parseJsonNow } from '../json/json.ts'
import { isSmall } from '../json/json-size.ts'
import { jsonText, jsonTextSteps } from '../json/json-text.ts'
import type { Tx } from './tx.ts'

/**
 * Parses a stored document.
 * @param name A name for the parsed document, unique within the operation. If the transaction runs again, it finds the document by this
 * name and does not parse it again.
 */
export const parseJsonDocument = (tx: Tx, text: string, name: string): Document =>
  isShort(text) ? (parseJsonNow(toUtf8(text)) as Document) : tx.steps(`read ${name}`, () => documentSteps(text), 'attempt')

/** Returns the JSON text of a document that the current run of the operation created. */
export const serializeJsonDocument = (tx: Tx, document: object, name: string): string =>
  isSmall(document) ? jsonText(document) : tx.steps(`write ${name}`, () => jsonTextSteps(document), 'attempt')
