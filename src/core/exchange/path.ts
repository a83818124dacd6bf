/**
 * From a URL path to decoded segments (source: behaviour of the originals).
 */
import { invalid, KernelError } from '../base/errors.ts'
import { checkFreePath, isPlainPath } from '../field/free-path.ts'

export interface RequestPath {
  /** Relative to `/v1/`, decoded, without a trailing slash. */
  readonly text: string
  readonly trailingSlash: boolean
}

const PREFIX = '/v1/'
/** Far longer than any stored path, percent-encoded. */
const LONGEST = 65_536

/** `/v1/` itself is an empty path. @throws KernelError 404 outside `/v1/`, 400 for a path that no front may pass on. */
export function parsePath(path: string): RequestPath {
  if (path.length > LONGEST) throw invalid(`path: exceeds ${LONGEST} characters`)
  if (!path.startsWith(PREFIX)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'paths begin with /v1/')
  const raw = path.slice(PREFIX.length)
  if (isPlainPath(raw)) return { text: raw, trailingSlash: false }
  if (raw.includes('?')) throw invalid('path: must not hold a query; pass it as `query`')
  const text = checkFreePath(decode(raw), 'path')
  const trailingSlash = text.endsWith('/')
  return { text: trailingSlash ? text.slice(0, -1) : text, trailingSlash }
}

/** A path with a query is refused: the query may hold secrets, so nobody may see it. */
export const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw invalid('path: invalid percent encoding')
  }
}
