/**
 * From a URL path to decoded segments (source: behaviour of the originals). Room: core/request. Imported by the path view only.
 */
import { invalid, KernelError } from '../errors.ts'

export interface RequestPath {
  /** Below `/v1/`, decoded, without a trailing slash. */
  readonly text: string
  readonly trailingSlash: boolean
}

const PREFIX = '/v1/'
/** Far more than anything stored has, percent-encoded. */
const LONGEST = 65_536
/** Nothing in such a path needs decoding or is refused. */
const PLAIN = /^[\w-]+(?:\.[\w.-]*\w)?(?:\/[\w-]+(?:\.[\w.-]*\w)?)*$/

/** @throws KernelError 404 outside `/v1/`, 400 for what no front may pass on. */
export function parsePath(path: string): RequestPath {
  if (path.length > LONGEST) throw invalid(`path: exceeds ${LONGEST} characters`)
  if (!path.startsWith(PREFIX)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'paths begin with /v1/')
  const raw = path.slice(PREFIX.length)
  if (PLAIN.test(raw)) return { text: raw, trailingSlash: false }
  if (raw.includes('?')) throw invalid('path: must not hold a query; pass it as `query`')
  const text = decode(raw)
  const trailingSlash = text.endsWith('/')
  const segments = (trailingSlash ? text.slice(0, -1) : text).split('/')
  for (const segment of segments) {
    if (segment === '.' || segment === '..') throw invalid('path: relative paths not supported')
    if (segment === '') throw invalid('path: must not hold empty segments')
  }
  return { text: segments.join('/'), trailingSlash }
}

function decode(raw: string): string {
  let text: string
  try {
    text = decodeURIComponent(raw)
  } catch {
    throw invalid('path: invalid percent encoding')
  }
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit === 0x7f) throw invalid('path: must not hold control characters')
  }
  return text
}
