import { invalid } from '../../../core/base/errors.ts'
import { list, type RecordOf, text, word } from '../members/index.ts'
import { checkAtMostOne } from './alternatives.ts'
import { duplicateValue } from './distinct.ts'

/** @throws KernelError 400 */
export function checkAbsolutePath(value: string, path: string): void {
  if (!value.startsWith('/')) throw invalid(`${path}: must begin with "/"`)
}

/** Regular expressions are passed on to proxies and are not compiled here. */
export const PATHS = {
  PathExact: text({ rule: checkAbsolutePath }),
  PathPrefix: text({ rule: checkAbsolutePath }),
  PathRegex: text(),
}

/** @throws KernelError 400 */
export const checkPaths = (paths: RecordOf<typeof PATHS>, path: string): void => checkAtMostOne(paths, Object.keys(PATHS), path)

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE'] as const

export const method = () => word(METHODS, { in: 'upper case' })

export const methods = () =>
  list(method(), (all, path) => {
    const second = all.findIndex((name, index) => all.indexOf(name) < index)
    if (second >= 0) throw duplicateValue(`${path}[${second}]`, all[second])
  })

/** @throws KernelError 400 */
export function checkHasName({ Name }: { readonly Name?: string | undefined }, path: string): void {
  if (Name === undefined) throw invalid(`${path}.Name: is required`)
}
