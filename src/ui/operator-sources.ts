/**
 * The sources of a kernel: its status, its leases by expiry, and the last entries of its audit log. A visitor needs a token of the root
 * namespace whose policies grant the capabilities that `NEEDED` lists. The check is a request to `sys/capabilities-self`, so it is audited,
 * counts as a use of the token, and respects the networks to which the token is bound. Nothing is shown if that request is refused.
 */
import { readOptions } from '../core/base/options.ts'
import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'
import type { KernelStatus } from '../core/kernel/status.ts'
import type { AuditTail } from './audit-tail.ts'
import { leasesByExpiry } from './leases-by-expiry.ts'
import type { UiAnswer, UiSource, UiSourceName, UiSources, UiVisitor } from './ui-source.ts'

/** The parts of a kernel that the sources call. */
export interface OperatedKernel {
  handle(request: KernelRequest): Promise<KernelResponse>
  status(): Promise<KernelStatus>
}

export interface OperatorSourcesOptions {
  /** The prefix of the kernel's headers. Default `X-Service`. */
  readonly headerPrefix?: string
  /** The last entries of the audit log. Default: the page shows that the server does not offer them. */
  readonly auditTail?: AuditTail
}

/** The capabilities that a visitor needs for each source. */
const NEEDED: Readonly<Record<UiSourceName, { readonly path: string; readonly capabilities: readonly string[] }>> = {
  status: { path: 'sys/status', capabilities: ['read'] },
  leases: { path: 'sys/leases/lookup/', capabilities: ['list', 'sudo'] },
  audit: { path: 'sys/audit', capabilities: ['read', 'sudo'] },
}

/**
 * @param kernel The kernel, or a function that returns the current one if the server can replace it.
 * @throws TypeError for an unknown option.
 * @example
 * const page = uiHandler({ sources: operatorSources(kernel) })
 */
export function operatorSources(kernel: OperatedKernel | (() => OperatedKernel), given: OperatorSourcesOptions = {}): UiSources {
  const { headerPrefix = 'X-Service', auditTail } = readOptions('operatorSources', given, { headerPrefix: 1, auditTail: 1 })
  const current = typeof kernel === 'function' ? kernel : () => kernel
  const source =
    (name: UiSourceName, read: (kernel: OperatedKernel, visitor: UiVisitor) => Promise<UiAnswer>): UiSource =>
    async (visitor) => {
      const used = current()
      return (await refusalOf(used, headerPrefix, name, visitor)) ?? read(used, visitor)
    }
  return {
    status: source('status', async (used) => ({ status: 200, body: await used.status() })),
    leases: source('leases', async (used, { after }) => ({ status: 200, body: await leasesByExpiry(used, after) })),
    ...(auditTail && { audit: source('audit', async () => ({ status: 200, body: { entries: auditTail.recent() } })) }),
  }
}

async function refusalOf(
  kernel: OperatedKernel,
  headerPrefix: string,
  source: UiSourceName,
  { token, remoteAddress }: UiVisitor,
): Promise<UiAnswer | undefined> {
  const { path, capabilities } = NEEDED[source]
  const { status, body } = await kernel.handle({
    method: 'POST',
    path: '/v1/sys/capabilities-self',
    headers: token === undefined ? {} : { [`${headerPrefix}-Token`]: token },
    body: { paths: [path] },
    remoteAddress,
  })
  if (status !== 200) return { status, body: body ?? { errors: [] } }
  const { data } = body as { data: Readonly<Record<string, readonly string[]>> }
  const granted = data[path] ?? []
  if (granted.includes('root') || capabilities.every((capability) => granted.includes(capability))) return undefined
  return { status: 403, body: { errors: [`permission denied: this needs ${capabilities.join(' and ')} on ${path}`] } }
}
