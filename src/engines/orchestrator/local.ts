/**
 * What the process finds about itself inside an orchestrator.
 */
import type { Tx } from '../../core/contract/tx.ts'

/** There is one, but it cannot be read. */
export const UNREADABLE = Symbol('unreadable')

/** The certificates of the API server; null outside of an orchestrator. */
export function localCa(tx: Tx): string | null | typeof UNREADABLE {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return null
  return tx.once('local certificate', () => readOf(() => localEnvironment.caCert(tx.env.closing)), 'attempt')
}

/** The token of this process; empty where there is none, and where it cannot be read. */
export function localToken(tx: Tx): string {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return ''
  const found = tx.once('local token', () => readOf(() => localEnvironment.serviceAccountToken(tx.env.closing)), 'attempt')
  return found === UNREADABLE ? '' : (found?.trim() ?? '')
}

/** Never rejects. What is neither a text with something in it nor null was not read well. */
async function readOf(ask: () => Promise<string | null>): Promise<string | null | typeof UNREADABLE> {
  try {
    const found: unknown = await ask()
    return found === null || (typeof found === 'string' && found.trim() !== '') ? found : UNREADABLE
  } catch {
    return UNREADABLE
  }
}
