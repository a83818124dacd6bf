/**
 * The grammar of paths that callers choose. It is the same for typed calls and path calls, so that a path call can name everything that a
 * typed call can create.
 */
import { invalid } from '../base/errors.ts'
import { isWellFormed } from '../storage/ops.ts'

/** A path that matches is valid without further checks. */
const PLAIN = /^[\w-]+(?:\.[\w.-]*\w)?(?:\/[\w-]+(?:\.[\w.-]*\w)?)*$/

export const isPlainPath = (path: string): boolean => PLAIN.test(path)

/**
 * @param path Percent-decoded. A trailing slash is not a segment.
 * @throws KernelError 400 for a path that an HTTP server would not pass on unchanged.
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

/** @throws KernelError 400 for an empty path or the path of a folder, which cannot be written. */
export function checkWritable(path: string, name: string): void {
  if (path === '') throw invalid(`${name}: missing path`)
  if (path.endsWith('/')) throw invalid(`${name}: cannot write to a path ending in '/'`)
}
