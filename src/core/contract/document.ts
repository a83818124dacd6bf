/**
 * Documents kept as their JSON text: a short one is parsed at once, a long one in pieces that give way.
 */
import { toUtf8 } from '../base/bytes.ts'
import { type Document, documentSteps, isShort } from '../json/document.ts'
import { parseJsonNow } from '../json/json.ts'
import { isSmall } from '../json/json-size.ts'
import { jsonText, jsonTextSteps } from '../json/json-text.ts'
import type { Tx } from './tx.ts'

/**
 * Parses a document's text.
 * @param name Identifies the document among the steps of the run.
 */
export const parseJsonDocument = (tx: Tx, text: string, name: string): Document =>
  isShort(text) ? (parseJsonNow(toUtf8(text)) as Document) : tx.steps(`read ${name}`, () => documentSteps(text), 'attempt')

/** The text of a document that this run made. */
export const serializeJsonDocument = (tx: Tx, document: object, name: string): string =>
  isSmall(document) ? jsonText(document) : tx.steps(`write ${name}`, () => jsonTextSteps(document), 'attempt')
