import { toUtf8 } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import { parseJsonNow } from '../../../core/json/json.ts'
import { jsonText } from '../../../core/json/json-text.ts'

/** The maximum length of one document. AWS allows about a tenth of this length. */
const MAX_DOCUMENT_CHARACTERS = 65_536

/** The maximum number of nesting levels of one document. Valid policies have at most seven. */
const MAX_LEVELS = 32

/** The current version of the policy language of AWS. */
const VERSION = '2012-10-17'

/**
 * Combines policies into one document that contains the statements of all policies, in order. The members of each statement are sorted by
 * name, as in Vault. Empty strings in `documents` are ignored.
 * @throws KernelError 400 if a document is not a policy.
 */
export function combinePolicies(documents: readonly string[]): string {
  const Statement = documents.filter((text) => text !== '').flatMap(statementsOf)
  return jsonText({ Version: VERSION, Statement }).replaceAll(ESCAPED_CHARACTERS, unicodeEscape)
}

/** Characters that Vault escapes in strings, because Go's JSON encoder does. */
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

const invalidPolicy = () =>
  invalid('policy_document, iam_groups: all policies must be valid JSON policy documents, since they are combined')
