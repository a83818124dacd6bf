/**
 * Waiting until new credentials are valid everywhere in the cloud, which is eventually consistent (hashicorp/vault#687, #3115, #8413).
 */
import { combinedSignal } from '../../../core/base/combined-signal.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { OperationContext } from '../../../core/contract/operation-context.ts'
import { providerOf } from '../clients.ts'
import type { CloudProvider, HandedCredentials } from '../port.ts'

const DEFAULT_TIMEOUT_MS = 30_000

/** The pause between two checks: doubled after each check, up to the maximum. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5000

/** Polls `ports.cloud.ready` with the new credentials until it returns true. After the timeout, adds a warning to the answer. */
export async function awaitReady(
  { env, warn }: Pick<OperationContext, 'env' | 'warn'>,
  credentials: HandedCredentials,
): Promise<void> {
  const provider = providerOf(env)
  if (!provider.ready) return
  const ms = timeoutOf(provider)
  try {
    await env.deadline.call({ name: 'ports.cloud ready', ms, call: (signal) => untilReady(env, provider, credentials, signal) })
  } catch {
    warn(`the cloud did not accept these credentials within ${ms} milliseconds; it may refuse them for some time`)
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

/** Makes one check. Returns false if the credentials are not valid yet, or if the check fails or times out. */
async function isReady(
  { deadline }: Environment,
  provider: CloudProvider,
  credentials: HandedCredentials,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const ask = (own: AbortSignal) => provider.ready?.({ ...credentials }, combinedSignal(own, signal))
    return (await deadline.call({ name: 'ports.cloud ready', call: ask })) === true
  } catch {
    return false
  }
}
