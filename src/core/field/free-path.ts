/**
 * The grammar of paths that callers choose. Typed calls and calls by path use the same grammar, so everything that a typed call can create
 * has a path that a request can use.
 */
import { invalid } from '../base/errors.ts'
import { isWellFormed } from '../base/well-formed.ts'

/** Matches only valid paths, but not all of them. The slower code below checks the paths that do not match. */
const PLAIN = /^[\w-]+(?:\.[\w.-]*\w)?(?:\/[\w-]+(?:\.[\w.-]*\w)?)*$/

export const isPlainPath = (path: string): boolean => PLAIN.test(path)

/**
 * @param path The percent-decoded path. A slash at the end does not count as a segment.
 * @throws KernelError 400 if an HTTP server would change or refuse the path.
 */
export function checkFreePath(path: string, name: string): string {
  if (path === '' || isPlainPath(path)) return path
  if (!isWellFormed(path)) throw invalid(`${name}: must be Unicode text`)
  for (let i = 0; i < path.length; i++) {
    const unit = path.charCodeAt(i)
    if (unit < 0x20 || unit === 0x7f) throw invalid(`${name}: must not contain control characters`)
  }
  const end = path.endsWith('/') ? path.length - 1 : path.length
  for (const segment of path.slice(0, end).split('/')) {
    if (segment === '.' || segment === '..') throw invalid(`${name}: relative paths not supported`)
    if (segment === '') throw invalid(`${name}: must not contain empty segments`)
  }
  return path
}

/** @throws KernelError 400 if nothing can be written at the path, because it is empty or the path of a folder */
export function checkWritable(path: string, name: string): void {
  if (path === '') throw invalid(`${name}: missing path`)
  if (path.endsWith('/')) throw invalid(`${name}: cannot write to a path ending in '/'`)
}
