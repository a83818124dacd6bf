/** Splits a request target into path and query. */

export interface RequestTarget {
  /** Percent-encoded, as it was sent. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
}

/** `http://host` before the path, as in requests to a proxy (RFC 9112, section 3.2.2). */
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/

/** @param target The second word of a request line: `/v1/secret/app?version=2`. */
export function readTarget(target: string): RequestTarget {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '')
  const mark = local.indexOf('?')
  if (mark < 0) return { path: local, query: NO_QUERY }
  return { path: local.slice(0, mark), query: readQuery(local.slice(mark + 1)) }
}

const NO_QUERY: RequestTarget['query'] = Object.freeze({})

/** Each value is a string, or a list of strings if its name is repeated. */
export function readQuery(text: string): RequestTarget['query'] {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (typeof before === 'string') query[name] = [before, value]
    else before.push(value)
  }
  return query
}
