import { invalid } from '../../../core/base/errors.ts'

const ENVIRONMENTS: readonly string[] = ['development', 'preview', 'production']

/** Returns each environment once, in a fixed order. @throws KernelError 400 */
export function environmentsIn(given: readonly string[]): readonly string[] {
  if (given.length === 0 || given.some((each) => !ENVIRONMENTS.includes(each)))
    throw invalid(`deployment_environments: must be at least one of ${ENVIRONMENTS.join(', ')}`)
  return ENVIRONMENTS.filter((each) => given.includes(each))
}
