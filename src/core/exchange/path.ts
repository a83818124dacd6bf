/**
 * Splits a URL path into decoded segments, as Vault does.
 */
import { invalid, KernelError } from '../base/errors.ts'
import { checkFreePath, isPlainPath } from '../field/free-path.ts'

export interface RequestPath {
  /** Relative to `/v1/`, decoded, without a trailing slash. */
  readonly text: string
  readonly trailingSlash: boolean
}

const PREFIX = '/v1/'
/** Far longer than any stored path in percent encoding. */
const MAX_PATH_CHARACTERS = 65_536

/** The path `/v1/` is empty. @throws KernelError 404 outside `/v1/`, 400 for a path that an HTTP server must not pass on. */
export function parsePath(path: string): RequestPath {
  if (path.length > MAX_PATH_CHARACTERS) throw invalid(`path: exceeds ${MAX_PATH_CHARACTERS} characters`)
  if (!path.startsWith(PREFIX)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'paths begin with /v1/')
  const raw = path.slice(PREFIX.length)
  if (isPlainPath(raw)) return { text: raw, trailingSlash: false }
  if (raw.includes('?')) throw invalid('path: must not contain a query; pass it as `query`')
  const text = checkFreePath(decode(raw), 'path')
  const trailingSlash = text.endsWith('/')
  return { text: trailingSlash ? text.slice(0, -1) : text, trailingSlash }
}

/** The path to show when a path with a query is refused: the query may contain secrets. */
export const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw invalid('path: invalid percent encoding')
  }
}
