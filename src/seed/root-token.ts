import { KernelError } from '../core/base/errors.ts'
import type { Kernel } from '../kernel.ts'

/**
 * Replaces the random root token of a new store with a given one, which `kernel.rootToken` then returns. In a store that exists, creates
 * the token if it is missing. Closes the kernel if the token is invalid.
 * @throws KernelError 400 for a token that cannot be the id of a token, or that exists without the policy `root`.
 */
export async function useRootToken(kernel: Kernel, rootToken: string): Promise<Kernel> {
  try {
    const found = await lookupToken(kernel, rootToken)
    if (!found) await kernel.tokens.createToken({ id: rootToken, policies: ['root'], display_name: 'root' })
    else if (!found.policies?.includes('root'))
      throw new KernelError('ERR_INVALID_REQUEST', 'rootToken: a token with this id exists, and it is no root token')
    if (kernel.rootToken !== undefined && kernel.rootToken !== rootToken)
      await kernel.tokens.revokeToken({ token: kernel.rootToken })
  } catch (error) {
    await kernel.close()
    throw error
  }
  return Object.defineProperty(kernel, 'rootToken', { value: rootToken })
}

async function lookupToken(kernel: Kernel, token: string): Promise<{ readonly policies?: readonly string[] } | undefined> {
  try {
    return await kernel.tokens.lookupToken({ token })
  } catch (error) {
    if (error instanceof KernelError && error.status < 500 && error.status !== 400) return undefined
    throw error
  }
}
