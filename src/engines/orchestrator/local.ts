import type { Tx } from '../../core/contract/tx.ts'

/** The result of reading a file that is present but cannot be read. */
export const UNREADABLE = Symbol('unreadable')

/** The local CA certificates of the API server. Null outside of a pod. */
export function localCa(tx: Tx): string | null | typeof UNREADABLE {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return null
  return tx.once('local certificate', () => readLocal(() => localEnvironment.caCert(tx.env.closing)), 'attempt')
}

/** Returns the service account token of this process, or an empty string if the token is absent or cannot be read. */
export function localToken(tx: Tx): string {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return ''
  const found = tx.once('local token', () => readLocal(() => localEnvironment.serviceAccountToken(tx.env.closing)), 'attempt')
  return found === UNREADABLE ? '' : (found?.trim() ?? '')
}

/** Never rejects. A value other than null or a non-empty string counts as unreadable. */
async function readLocal(ask: () => Promise<string | null>): Promise<string | null | typeof UNREADABLE> {
  try {
    const found: unknown = await ask()
    return found === null || (typeof found === 'string' && found.trim() !== '') ? found : UNREADABLE
  } catch {
    return UNREADABLE
  }
}
