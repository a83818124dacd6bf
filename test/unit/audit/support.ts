import {
  type AuditEntry,
  createKernel,
  type Kernel,
  type KernelOptions,
  type KernelRequest,
  keySeal,
  memoryStorage,
} from '../../../src/index.ts'

export const SEAL_KEY = new Uint8Array(32).fill(7)

export interface Audited {
  readonly kernel: Kernel
  readonly entries: AuditEntry[]
  /** Sends a request with the root token, with another token, or without one if `token` is null. */
  readonly send: (
    method: string,
    path: string,
    more?: Partial<KernelRequest> & { readonly token?: string | null },
  ) => ReturnType<Kernel['handle']>
  /** Returns and removes the entries written so far. */
  readonly take: () => AuditEntry[]
}

export async function audited(options: Partial<KernelOptions> = {}): Promise<Audited> {
  const entries: AuditEntry[] = []
  const kernel = await createKernel({
    storage: memoryStorage(),
    seal: keySeal(SEAL_KEY),
    initialize: true,
    ports: { audit: { sinks: { main: (entry) => void entries.push(entry) } } },
    ...options,
  })
  return { kernel, entries, send: sender(kernel), take: () => entries.splice(0) }
}

export function sender(kernel: Kernel): Audited['send'] {
  return (method, path, { token = kernel.rootToken ?? null, headers, ...more } = {}) =>
    kernel.handle({
      method,
      path: `/v1/${path}`,
      headers: { ...(token === null ? {} : { 'X-Service-Token': token }), ...headers },
      ...more,
    })
}

export const dataOf = ({ body }: { readonly body?: unknown }) => (body as { readonly data: Record<string, unknown> }).data
