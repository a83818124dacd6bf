/**
 * Several policies as one that gives what any of them gives (behaviour of the originals).
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { parseJsonNow } from '../../../core/json/json.ts'
import { jsonText } from '../../../core/json/json-text.ts'

/** Characters of one document: ten times what the cloud takes. */
const MAX_DOCUMENT_CHARACTERS = 65_536

/** Of nesting; the deepest that means anything has seven. */
const MAX_LEVELS = 32

/** The one there is. */
const VERSION = '2012-10-17'

/**
 * All their statements in one document, in order; members of statements by name. An empty text is no document.
 * @throws KernelError 400 for one that is no policy.
 */
export function combinePolicies(documents: readonly string[]): string {
  const Statement = documents.filter((text) => text !== '').flatMap(statementsOf)
  return jsonText({ Version: VERSION, Statement }).replaceAll(ESCAPED_CHARACTERS, unicodeEscape)
}

/** What the originals write as escapes, within texts. */
const ESCAPED_CHARACTERS = /[<>&\u2028\u2029]/g

const unicodeEscape = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

function statementsOf(text: string): readonly unknown[] {
  const document = parseDocument(text)
  if (document === undefined) return []
  if (typeof document !== 'object' || Array.isArray(document)) throw invalidPolicy()
  const { Version, Statement } = document as { readonly Version?: unknown; readonly Statement?: unknown }
  if (Version !== undefined && Version !== null && typeof Version !== 'string') throw invalidPolicy()
  if (Statement === null) throw invalidPolicy()
  if (Statement === undefined) return []
  return Array.isArray(Statement) ? Statement : [Statement]
}

function parseDocument(text: string): unknown {
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw invalidPolicy()
  try {
    return sortMembers(parseJsonNow(toUtf8(text)), 0)
  } catch {
    throw invalidPolicy()
  }
}

function sortMembers(value: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (level > MAX_LEVELS) throw invalidPolicy()
  if (Array.isArray(value)) return value.map((each) => sortMembers(each, level + 1))
  const members = Object.entries(value).map(([name, each]) => [name, sortMembers(each, level + 1)] as const)
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
}

const invalidPolicy = () => invalid('policy_document, iam_groups: a policy that is to be joined with others is none')
