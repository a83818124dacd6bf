/** A kernel with an orchestrator that it asks, service accounts with tokens, and what it tells of refusals. */
import {
  type AuditEntry,
  createDevKernel,
  type Kernel,
  type KernelOptions,
  type LocalEnvironment,
  type LoginRefusalReason,
  type TokenReviewer,
} from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { P256, spkiPem, token } from '../../unit/core/jwt/tokens.ts'
import type { How, Input, Outcome, View } from './views.ts'

/** Seconds. */
export const NOW = 1_800_000_000

export const HOST = 'https://api.example'
export const KEYS: readonly string[] = [spkiPem(P256)]
/** Who is let in by default. */
export const WEB = { namespace: 'prod', name: 'web', uid: '77c81ad7-1bea-4d94-9ca5-f5d7f3632331' }
export const BOUND = { bound_service_account_names: [WEB.name], bound_service_account_namespaces: [WEB.namespace] }
export const EVERYBODY = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] }

/** The claims of a token that was made for a pod. @param more Beside those of the account. */
export const claims = ({ namespace, name, uid }: Partial<typeof WEB> = WEB, more: Input = {}): Input => ({
  'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  ...more,
})

/** The account's token, by a key that the configuration knows. */
export const jwtOf = (account: Partial<typeof WEB> = WEB, more: Input = {}): string => token('ES256', claims(account, more))

export interface Refusal {
  readonly role: string
  readonly reason: LoginRefusalReason
}

export interface World extends AsyncDisposable {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** As events told them, the oldest first. */
  refusals(): Promise<readonly Refusal[]>
  /** All that was written, the oldest first. */
  readonly audit: readonly AuditEntry[]
  login(view: View, jwt: string, how?: How & { readonly role?: string }): Promise<Outcome>
}

export interface WorldOptions extends Omit<Partial<KernelOptions>, 'clock' | 'ports'> {
  readonly clock?: FakeClock
  readonly reviewer?: TokenReviewer
  readonly local?: LocalEnvironment
  /** Null: none is written. Default: keys, so that signatures decide. */
  readonly config?: Input | null
  /** Of the role `web`, beside {@link BOUND}. */
  readonly role?: Input
  /** Default: as users make one. */
  readonly create?: (options: Partial<KernelOptions>) => Promise<Kernel>
}

export async function openWorld({
  reviewer,
  local,
  config,
  role,
  create = createDevKernel,
  ...options
}: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? fakeClock(NOW * 1000)
  const audit: AuditEntry[] = []
  const ports = {
    audit: { sinks: { main: (entry: AuditEntry) => void audit.push(entry) } },
    ...(reviewer && { tokenReviewer: reviewer }),
    ...(local && { localEnvironment: local }),
  }
  const kernel = await create({ ...options, clock, ports })
  const refusals: Refusal[] = []
  kernel.events.on('login.refused', ({ role: name, reason }) => refusals.push({ role: name, reason }))
  if (config !== null) await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS, ...config })
  await kernel.orchestrator.writeRole({ name: 'web', ...BOUND, ...role })
  return {
    kernel,
    clock,
    audit,
    async refusals() {
      await turns()
      return refusals
    },
    login: (view, jwt, { role: name = 'web', ...how } = {}) => view.ask(kernel, 'login', { role: name, jwt }, how),
    [Symbol.asyncDispose]: () => kernel.close(),
  }
}

/** Listeners hear of an event a little later. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
