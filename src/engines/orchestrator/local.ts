/**
 * What the process finds about itself inside an orchestrator. Room: engines/orchestrator. Imported by the configuration and by reviews.
 */
import type { Tx } from '../../core/transaction/tx.ts'

/** There is one, but it cannot be read. */
export const UNREADABLE = Symbol('unreadable')

/** The certificates of the API server; null outside of an orchestrator. */
export function localCa(tx: Tx): string | null | typeof UNREADABLE {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return null
  return tx.once('local certificate', () => localEnvironment.caCert(tx.env.closing).catch(() => UNREADABLE), 'attempt')
}

/** The token of this process; empty where there is none, and where it cannot be read. */
export function localToken(tx: Tx): string {
  const { localEnvironment } = tx.env.ports
  if (!localEnvironment) return ''
  const read = () => localEnvironment.serviceAccountToken(tx.env.closing).then(trimmed, () => '')
  return tx.once('local token', read, 'attempt')
}

const trimmed = (text: string | null): string => text?.trim() ?? ''
