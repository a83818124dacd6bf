/**
 * The grammar of paths that the caller chooses, the same for both views: a request by path can name whatever a typed call can.
 */
import { invalid } from '../base/errors.ts'
import { isWellFormed } from '../storage/ops.ts'

/** A path that matches needs no further check. */
const PLAIN = /^[\w-]+(?:\.[\w.-]*\w)?(?:\/[\w-]+(?:\.[\w.-]*\w)?)*$/

export const isPlainPath = (path: string): boolean => PLAIN.test(path)

/**
 * @param path Decoded; a trailing slash makes no segment.
 * @throws KernelError 400 for a path that no front may pass on.
 */
export function checkFreePath(path: string, name: string): string {
  if (path === '' || isPlainPath(path)) return path
  if (!isWellFormed(path)) throw invalid(`${name}: must be Unicode text`)
  for (let i = 0; i < path.length; i++) {
    const unit = path.charCodeAt(i)
    if (unit < 0x20 || unit === 0x7f) throw invalid(`${name}: must not hold control characters`)
  }
  const end = path.endsWith('/') ? path.length - 1 : path.length
  for (const segment of path.slice(0, end).split('/')) {
    if (segment === '.' || segment === '..') throw invalid(`${name}: relative paths not supported`)
    if (segment === '') throw invalid(`${name}: must not hold empty segments`)
  }
  return path
}

/** @throws KernelError 400 for a path that names a folder, or is empty: neither can be written. */
export function checkWritable(path: string, name: string): void {
  if (path === '') throw invalid(`${name}: missing path`)
  if (path.endsWith('/')) throw invalid(`${name}: cannot write to a path ending in '/'`)
}
