/**
 * Reads each member of a request only once, so that a getter or a proxy cannot return a different value later.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { KernelRequest } from '../contract/request.ts'
import type { Values } from '../field/parse.ts'

/** The members of a request, each read once. `method` and `path` may have any type, because each service validates them. */
export interface RequestMembers {
  readonly method: unknown
  readonly path: unknown
  readonly query: Values
  readonly headers: KernelRequest['headers']
  readonly body: unknown
  readonly remoteAddress: string | undefined
}

/** @throws KernelError 400 if the value is not a request object. */
export function readRequestMembers(request: KernelRequest): RequestMembers {
  if (typeof request !== 'object' || request === null) throw invalid('request: must be an object')
  try {
    return membersOf(request)
  } catch (error) {
    throw error instanceof KernelError ? error : invalid('request: a member could not be read')
  }
}

/** Like all options, `remoteAddress` may also be written in snake_case. */
const REMOTE_ADDRESS = 'remote_address' as 'remoteAddress'

function membersOf(request: KernelRequest): RequestMembers {
  const { method, path, query, headers, body, remoteAddress: address = request[REMOTE_ADDRESS] } = request
  const remoteAddress = typeof address === 'string' ? address : undefined
  const copied = typeof headers === 'object' && headers !== null ? { ...headers } : undefined
  return { method, path, query: query === undefined ? NO_QUERY : copyQuery(query), headers: copied, body, remoteAddress }
}

const NO_QUERY: Values = Object.freeze({})

/** The maximum number of characters in all names and values of a query together. Longer parameters belong in the body. */
const MAX_QUERY_CHARACTERS = 1_048_576

/** The query parameters by name. If a name was repeated, its value is a list. */
function copyQuery(query: unknown): Values {
  if (query === null) return NO_QUERY
  if (typeof query !== 'object' || Array.isArray(query)) throw invalid('query: must be an object')
  const values: Record<string, unknown> = Object.create(null)
  let remaining = MAX_QUERY_CHARACTERS
  for (const [name, value] of Object.entries(query)) {
    const texts: unknown[] = Array.isArray(value) ? [...value] : [value]
    for (const text of texts) {
      if (typeof text !== 'string') throw invalid(`query: ${name.slice(0, 100)} must be text`)
      remaining -= name.length + text.length + 1
    }
    if (remaining < 0) throw invalid(`query: exceeds ${MAX_QUERY_CHARACTERS} characters`)
    values[name] = texts.length === 1 ? texts[0] : texts
  }
  return values
}
