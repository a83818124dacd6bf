/**
 * Credentials that the cloud does not know everywhere yet are held back for a while, where the provider can tell (hashicorp/vault#687,
 * #3115, #8413).
 */
import { combinedSignal } from '../../../core/base/combined-signal.ts'
import type { Asked } from '../../../core/contract/operation.ts'
import type { Environment } from '../../../core/contract/tx.ts'
import { providerOf } from '../clients.ts'
import type { CloudProvider, HandedCredentials } from '../port.ts'

const DEFAULT_TIMEOUT_MS = 30_000

/** Milliseconds between two questions: twice as many each time. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5000

/** Asks until the provider says so, or its time is over: then with a warning. */
export async function awaitReady({ env, warn }: Pick<Asked, 'env' | 'warn'>, credentials: HandedCredentials): Promise<void> {
  const provider = providerOf(env)
  if (!provider.ready) return
  const ms = timeoutOf(provider)
  try {
    await env.deadline.ask({ what: 'ports.cloud ready', ms, ask: (signal) => untilReady(env, provider, credentials, signal) })
  } catch {
    warn(`the cloud did not know these credentials after ${ms} milliseconds: it may refuse them for a while`)
  }
}

const timeoutOf = ({ readyTimeoutMs: ms }: CloudProvider): number =>
  typeof ms === 'number' && ms > 0 && Number.isFinite(ms) ? ms : DEFAULT_TIMEOUT_MS

async function untilReady(
  env: Environment,
  provider: CloudProvider,
  credentials: HandedCredentials,
  signal: AbortSignal,
): Promise<void> {
  for (let ms = FIRST_PAUSE_MS; !(await isReady(env, provider, credentials, signal)); ms = Math.min(2 * ms, MAX_PAUSE_MS))
    await env.deadline.pause(ms, signal)
}

/** A question that fails, or is not answered in time, is a no. */
async function isReady(
  { deadline }: Environment,
  provider: CloudProvider,
  credentials: HandedCredentials,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const ask = (own: AbortSignal) => provider.ready?.({ ...credentials }, combinedSignal(own, signal))
    return (await deadline.ask({ what: 'ports.cloud ready', ask })) === true
  } catch {
    return false
  }
}
