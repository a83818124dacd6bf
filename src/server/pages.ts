/** The pages of a server beside the API: the operator's page and the metrics. */

import type { ObservedKernel } from '../adapters/telemetry/observed-kernel.ts'
import { internalsOf } from '../core/kernel/kernel-internals.ts'
import { type AuditTail, type OperatedKernel, operatorSources, uiHandler } from '../ui/index.ts'
import type { PathHandler } from './http-server.ts'
import { MetricsPage } from './metrics-page.ts'

export interface PageOptions {
  /**
   * Whether to serve the operator's page at `/ui/`. A visitor needs a token, and sees what its policies allow. Default false; true for dev
   * servers that the command line starts.
   */
  readonly ui?: boolean
  /** Whether to serve metrics for Prometheus at `/metrics`. They contain no names, and a reader needs no token. Default false. */
  readonly metrics?: boolean
  /** The last entries of an audit sink, which the operator's page then shows. Default: it shows none. */
  readonly auditTail?: AuditTail
}

/** The options as a caller has taken them from its own: an option that was not given is undefined. */
type GivenPageOptions = { readonly [K in keyof PageOptions]: PageOptions[K] | undefined }

export interface ServedPages {
  /** By the first segment of the path. */
  readonly handlers: Readonly<Record<string, PathHandler>>
  close(): void
}

/**
 * @param what The name of the public function, for messages.
 * @param kernel Returns the kernel of the server, which may be replaced by another one.
 * @throws TypeError for an invalid option.
 */
export function servedPages(
  what: string,
  kernel: () => OperatedKernel & ObservedKernel,
  { ui = false, metrics = false, auditTail }: GivenPageOptions,
): ServedPages {
  for (const [name, value] of Object.entries({ ui, metrics }))
    if (typeof value !== 'boolean') throw new TypeError(`${what}: ${name} must be a boolean`)
  const handlers: Record<string, PathHandler> = {}
  if (ui) {
    const { headerPrefix } = internalsOf(kernel()).host.env
    handlers['ui'] = uiHandler({
      headerPrefix,
      sources: operatorSources(kernel, { headerPrefix, ...(auditTail && { auditTail }) }),
    })
  }
  const page = metrics ? new MetricsPage(kernel) : undefined
  if (page) handlers['metrics'] = page.handler
  return { handlers, close: () => page?.close() }
}
