/**
 * Which requests are meant, by path, header and method.
 */
import { invalid } from '../../../core/base/errors.ts'
import { list, type RecordOf, type Rule, text, word } from '../members/index.ts'
import { checkAtMostOne } from './alternatives.ts'
import { usedTwice } from './distinct.ts'

export const checkAbsolute: Rule<string> = (value, path) => {
  if (!value.startsWith('/')) throw invalid(`${path}: must begin with "/"`)
}

/** Regular expressions are those of proxies; nothing here compiles them. */
export const PATHS = {
  PathExact: text({ rule: checkAbsolute }),
  PathPrefix: text({ rule: checkAbsolute }),
  PathRegex: text(),
}

/** @throws KernelError 400 */
export const checkPaths = (paths: RecordOf<typeof PATHS>, path: string): void => checkAtMostOne(paths, Object.keys(PATHS), path)

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE'] as const

export const method = () => word(METHODS, { in: 'upper case' })

export const methods = () =>
  list(method(), (all, path) => {
    const second = all.findIndex((name, index) => all.indexOf(name) < index)
    if (second >= 0) throw usedTwice(`${path}[${second}]`, all[second])
  })

/** @throws KernelError 400 */
export function checkNamed({ Name }: { readonly Name?: string | undefined }, path: string): void {
  if (Name === undefined) throw invalid(`${path}.Name: is required`)
}
