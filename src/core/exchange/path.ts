/**
 * Splits the path of a URL into decoded segments, as Vault does.
 */
import { invalid, KernelError } from '../base/errors.ts'
import { checkFreePath, isPlainPath } from '../field/free-path.ts'

export interface RequestPath {
  /** The path relative to `/v1/`: decoded, and without a slash at the end. */
  readonly text: string
  readonly trailingSlash: boolean
}

const PREFIX = '/v1/'
/** The maximum length of a path. It is far greater than the length of any stored path in percent encoding. */
const MAX_PATH_CHARACTERS = 65_536

/**
 * Parses a path. For `/v1/`, `text` is empty. @throws KernelError 404 if the path is not below `/v1/`. 400 if the path is too long, if it
 * contains a query or invalid percent encoding, or if {@link checkFreePath} refuses it
 */
export function parsePath(path: string): RequestPath {
  if (path.length > MAX_PATH_CHARACTERS) throw invalid(`path: exceeds ${MAX_PATH_CHARACTERS} characters`)
  if (!path.startsWith(PREFIX)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'path: must begin with /v1/')
  const raw = path.slice(PREFIX.length)
  if (isPlainPath(raw)) return { text: raw, trailingSlash: false }
  if (raw.includes('?')) throw invalid('path: must not contain a query; pass it as `query`')
  const text = checkFreePath(decode(raw), 'path')
  const trailingSlash = text.endsWith('/')
  return { text: trailingSlash ? text.slice(0, -1) : text, trailingSlash }
}

/** The path without its query, for the audit log and tracers. The query is removed because it may contain secrets. */
export const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw invalid('path: invalid percent encoding')
  }
}
