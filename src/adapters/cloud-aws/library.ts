import { AwsError } from './failure.ts'
import type { IamModule, StsModule } from './sdk.ts'

const loading = new Map<string, Promise<unknown>>()

/**
 * Imports a package when it is first used.
 * @throws AwsError `invalid` with the code `ERR_MODULE_NOT_FOUND` if the package is not installed.
 */
function load(name: string): Promise<unknown> {
  const known = loading.get(name)
  if (known) return known
  // The name is a variable, because the compiler would resolve a literal and load the package's types.
  const module = import(name).catch((cause: unknown) => {
    loading.delete(name)
    const code = (cause as { readonly code?: unknown } | null)?.code
    throw new AwsError('invalid', typeof code === 'string' ? code : 'ERR_MODULE_NOT_FOUND')
  })
  loading.set(name, module)
  return module
}

export const loadIam = (): Promise<IamModule> => load('@aws-sdk/client-iam') as Promise<IamModule>
export const loadSts = (): Promise<StsModule> => load('@aws-sdk/client-sts') as Promise<StsModule>
