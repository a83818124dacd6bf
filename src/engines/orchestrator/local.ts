/** The local certificates and token of a process inside an orchestrator. */
import type { Tx } from '../../core/contract/tx.ts'

/** Present, but unreadable. */
export const UNREADABLE = Symbol('unreadable')

/** The certificates of the API server; null outside an orchestrator. */
export function localCa(tx: Tx): string | null | typeof UNREADABLE {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return null
  return tx.once('local certificate', () => readLocal(() => localEnvironment.caCert(tx.env.closing)), 'attempt')
}

/** The token of this process; empty where it is absent or unreadable. */
export function localToken(tx: Tx): string {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return ''
  const found = tx.once('local token', () => readLocal(() => localEnvironment.serviceAccountToken(tx.env.closing)), 'attempt')
  return found === UNREADABLE ? '' : (found?.trim() ?? '')
}

/** Never rejects. Anything but a non-empty text or null counts as unreadable. */
async function readLocal(ask: () => Promise<string | null>): Promise<string | null | typeof UNREADABLE> {
  try {
    const found: unknown = await ask()
    return found === null || (typeof found === 'string' && found.trim() !== '') ? found : UNREADABLE
  } catch {
    return UNREADABLE
  }
}
