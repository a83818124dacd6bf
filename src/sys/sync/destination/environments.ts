import { invalid } from '../../../core/base/errors.ts'

const ENVIRONMENTS: readonly string[] = ['development', 'preview', 'production']

/**
 * Returns the given environments without duplicates, in a fixed order.
 * @throws KernelError 400 if the list is empty or contains an unknown environment.
 */
export function environmentsIn(given: readonly string[]): readonly string[] {
  if (given.length === 0 || given.some((each) => !ENVIRONMENTS.includes(each)))
    throw invalid(`deployment_environments: must contain one or more of ${ENVIRONMENTS.join(', ')}, and nothing else`)
  return ENVIRONMENTS.filter((each) => given.includes(each))
}
