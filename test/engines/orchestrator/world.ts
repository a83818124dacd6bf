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

/** Seconds since the epoch. */
export const NOW = 1_800_000_000

export const HOST = 'https://api.example'
export const KEYS: readonly string[] = [spkiPem(P256)]
/** The account that may log in by default. */
export const WEB = { namespace: 'prod', name: 'web', uid: '77c81ad7-1bea-4d94-9ca5-f5d7f3632331' }
export const BOUND = { bound_service_account_names: [WEB.name], bound_service_account_namespaces: [WEB.namespace] }
export const EVERYBODY = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] }

/** The claims of a pod's token. @param more further claims */
export const claims = ({ namespace, name, uid }: Partial<typeof WEB> = WEB, more: Input = {}): Input => ({
  'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  ...more,
})

/** The account's token, signed with a configured key. */
export const jwtOf = (account: Partial<typeof WEB> = WEB, more: Input = {}): string => token('ES256', claims(account, more))

export interface Refusal {
  readonly role: string
  readonly reason: LoginRefusalReason
}

export interface World extends AsyncDisposable {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** The refusals in the order of their events. */
  refusals(): Promise<readonly Refusal[]>
  /** All audit entries, oldest first. */
  readonly audit: readonly AuditEntry[]
  login(view: View, jwt: string, how?: How & { readonly role?: string }): Promise<Outcome>
}

export interface WorldOptions extends Omit<Partial<KernelOptions>, 'clock' | 'ports'> {
  readonly clock?: FakeClock
  readonly reviewer?: TokenReviewer
  readonly local?: LocalEnvironment
  /** With null, no configuration is written. The default has keys, so signatures decide. */
  readonly config?: Input | null
  /** Settings of the role `web` in addition to {@link BOUND}. */
  readonly role?: Input
  /** By default `createDevKernel`. */
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

/** Events are delivered asynchronously, so wait for some turns of the event loop. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
